"""A stateful RNN hands its state to the next call through a variable: no gradient between the calls."""

import keras
import tensorflow as tf


def build():
    keras.utils.set_random_seed(7)
    layer = keras.layers.SimpleRNN(2, stateful=True)  # <- cause
    layer.build((1, 3, 1))

    def fn(earlier, later):
        layer(earlier)
        return tf.reduce_sum(layer(later))

    return {
        "fn": fn,
        "inputs": [([1, 3, 1], "float32")] * 2,
        "concrete_shapes": [[1, 3, 1]] * 2,
        "variables": layer.trainable_variables,
        "mode": "graph",
        "note": "carry the state as a tensor instead",
    }


EXPECT = {
    "eager": {
        "earlier": "none-blocked assigned",
        "later": "flows",
        "simple_rnn/simple_rnn_cell/kernel": "flows",
        "simple_rnn/simple_rnn_cell/recurrent_kernel": "flows",
        "simple_rnn/simple_rnn_cell/bias": "flows",
    },
    "graph": {
        "earlier": "none-blocked assigned",
        "later": "flows",
        "simple_rnn/simple_rnn_cell/kernel": "flows",
        "simple_rnn/simple_rnn_cell/recurrent_kernel": "flows",
        "simple_rnn/simple_rnn_cell/bias": "flows",
    },
}
