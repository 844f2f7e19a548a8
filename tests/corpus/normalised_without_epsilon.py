"""LayerNormalization with epsilon 0 meets a row of equal numbers: it is put right where the layer is made."""

import keras
import tensorflow as tf


def build():
    norm = keras.layers.LayerNormalization(epsilon=0.0)  # <- cause
    norm.build((2, 3))

    def fn(x):
        for _ in tf.range(2):
            x = norm(x)
        return tf.reduce_sum(x * x)

    return {
        "fn": fn,
        "inputs": [([2, 3], "float32")],
        "concrete_shapes": [[2, 3]],
        "values": [[[4.0, 4.0, 4.0], [1.0, 2.0, 3.0]]],
        "variables": norm.trainable_variables,
        "mode": "graph",
        "note": "the first row has no spread",
    }


EXPECT = {
    "eager": {
        "x": "nan sqrt_at_zero",
        "layer_normalization/gamma": "nan sqrt_at_zero",
        "layer_normalization/beta": "nan sqrt_at_zero",
    },
    "graph": {
        "x": "nan sqrt_at_zero",
        "layer_normalization/gamma": "nan sqrt_at_zero",
        "layer_normalization/beta": "nan sqrt_at_zero",
    },
}
