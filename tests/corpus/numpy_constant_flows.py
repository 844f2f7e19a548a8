"""A numpy array as data is fine: only what is computed from a tensor must not leave TensorFlow."""

import numpy as np
import tensorflow as tf


def build():
    weight = tf.Variable(0.5, name="weight")
    grid = np.linspace(-1.0, 1.0, 5, dtype="float32")

    def fn(x):
        return tf.reduce_mean(tf.exp(-tf.square(grid * weight - x)))

    return {
        "fn": fn,
        "inputs": [([5], "float32")],
        "concrete_shapes": [[5]],
        "variables": [weight],
        "mode": "graph",
        "note": "np.linspace as a constant",
    }


EXPECT = {"eager": {"x": "flows", "weight": "flows"}, "graph": {"x": "flows", "weight": "flows"}}
