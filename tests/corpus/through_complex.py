"""A spectrum and its magnitude: complex numbers carry the gradient."""

import tensorflow as tf


def build():
    window = tf.Variable([0.5, 1.0, 1.0, 0.5], name="window")

    def fn(x):
        spectrum = tf.signal.rfft(x * window)
        return tf.reduce_sum(tf.abs(spectrum[1:]))

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "values": [[1.0, -2.0, 0.5, 3.0]],
        "variables": [window],
        "mode": "graph",
        "note": "rfft",
    }


EXPECT = {"eager": {"x": "flows", "window": "flows"}, "graph": {"x": "flows", "window": "flows"}}
