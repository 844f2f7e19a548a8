"""exp of exp of exp: the state overflows after a few steps, and the gradient with it (tensorflow#53779)."""

import keras
import tensorflow as tf


def build():
    keras.utils.set_random_seed(2)
    layer = keras.layers.SimpleRNN(  # <- cause
        2, activation="exponential", kernel_initializer="ones", recurrent_initializer="ones", use_bias=False
    )
    layer.build((None, 6, 1))
    kernel, recurrent = layer.trainable_variables
    return {
        "fn": lambda x: tf.reduce_sum(layer(x)),
        "inputs": [([None, 6, 1], "float32")],
        "concrete_shapes": [[1, 6, 1]],
        "values": [[[[1.0]] * 6]],
        "variables": [kernel, recurrent],
        "mode": "graph",
        "note": "six steps",
    }


EXPECT = {
    "eager": {
        "x": "inf overflow",
        "simple_rnn/simple_rnn_cell/kernel": "inf overflow",
        "simple_rnn/simple_rnn_cell/recurrent_kernel": "nan overflow",
    },
    "graph": {
        "x": "inf overflow",
        "simple_rnn/simple_rnn_cell/kernel": "inf overflow",
        "simple_rnn/simple_rnn_cell/recurrent_kernel": "nan overflow",
    },
}
