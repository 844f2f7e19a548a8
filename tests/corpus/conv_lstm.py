"""ConvLSTM2D with padding='same': a loop in a fused layer, all is well (tensorflow#62427)."""

import keras
import tensorflow as tf


def build():
    keras.utils.set_random_seed(5)
    layer = keras.layers.ConvLSTM2D(1, 2, padding="same")
    layer.build((None, 2, 3, 3, 1))
    return {
        "fn": lambda x: tf.reduce_mean(layer(x)),
        "inputs": [([None, 2, 3, 3, 1], "float32")],
        "concrete_shapes": [[1, 2, 3, 3, 1]],
        "variables": layer.trainable_variables,
        "mode": "graph",
        "note": "two frames",
    }


EXPECT = {
    "eager": {
        "x": "flows",
        "conv_lstm2d/conv_lstm_cell/kernel": "flows",
        "conv_lstm2d/conv_lstm_cell/recurrent_kernel": "flows",
        "conv_lstm2d/conv_lstm_cell/bias": "flows",
    },
    "graph": {
        "x": "flows",
        "conv_lstm2d/conv_lstm_cell/kernel": "flows",
        "conv_lstm2d/conv_lstm_cell/recurrent_kernel": "flows",
        "conv_lstm2d/conv_lstm_cell/bias": "flows",
    },
}
