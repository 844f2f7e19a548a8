"""Masking with an enormous mask value: the masked steps are zeroed, the gradient is finite."""

import keras
import tensorflow as tf


def build():
    keras.utils.set_random_seed(6)
    weight = tf.Variable(1.0, name="weight")
    model = keras.Sequential([keras.Input((4, 1)), keras.layers.Masking(1e25), keras.layers.GRU(1)])
    return {
        "fn": lambda x: tf.reduce_sum(model(x) * weight),
        "inputs": [([None, 4, 1], "float32")],
        "concrete_shapes": [[1, 4, 1]],
        "values": [[[[0.3], [1e25], [-0.2], [1e25]]]],
        "variables": [weight],
        "mode": "graph",
        "note": "two of four steps masked",
    }


EXPECT = {"eager": {"x": "flows", "weight": "flows"}, "graph": {"x": "flows", "weight": "flows"}}
