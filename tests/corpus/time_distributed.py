"""TimeDistributed shares one Dense over all steps: its gradient is the sum over the steps."""

import keras
import tensorflow as tf


def build():
    keras.utils.set_random_seed(8)
    dense = keras.layers.Dense(2, name="shared")
    model = keras.Sequential([keras.Input((3, 4)), keras.layers.TimeDistributed(dense), keras.layers.SimpleRNN(1)])
    return {
        "fn": lambda x: tf.reduce_sum(model(x)),
        "inputs": [([None, 3, 4], "float32")],
        "concrete_shapes": [[2, 3, 4]],
        "variables": dense.trainable_variables,
        "mode": "graph",
        "note": "then a recurrence",
    }


EXPECT = {
    "eager": {
        "x": "flows",
        "sequential/time_distributed/shared/kernel": "flows",
        "sequential/time_distributed/shared/bias": "flows",
    },
    "graph": {
        "x": "flows",
        "sequential/time_distributed/shared/kernel": "flows",
        "sequential/time_distributed/shared/bias": "flows",
    },
}
