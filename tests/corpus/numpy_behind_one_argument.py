"""tf.py_function whose code hands one of two arguments to NumPy and returns a tensor that depends on both."""

import numpy as np
import tensorflow as tf


def smoothed(weights):
    total = tf.reduce_sum(weights)
    return np.log1p(total)  # <- cause


def build():
    lost = tf.Variable(0.4, name="lost")
    kept = tf.Variable(0.9, name="kept")

    def scaled(weights, values):
        return tf.sin(values) * smoothed(weights)

    def fn(x):
        out = tf.py_function(scaled, [tf.ones([]) * lost, x * kept], tf.float32)
        return tf.reduce_sum(tf.ensure_shape(out, [4]))

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "variables": [lost, kept],
        "mode": "graph",
        "note": "the other argument's gradient is right",
    }


EXPECT = {
    "eager": {"x": "flows", "lost": "zero-blocked left_tensorflow", "kept": "flows"},
    "graph": {"x": "flows", "lost": "zero-blocked left_tensorflow", "kept": "flows"},
}
