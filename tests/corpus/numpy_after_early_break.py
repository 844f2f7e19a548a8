"""A loop that stops once its state settles, and whose result is taken with .numpy(): that, not the test, is the cut."""

import tensorflow as tf


def build():
    w = tf.Variable(0.5, name="w")
    u = tf.Variable([1.0, 2.0], name="u")

    def fn(x):
        h = x
        for _ in range(5):
            before = h
            h = w * h
            if tf.reduce_max(tf.abs(h - before)) < 0.2:
                break
        return tf.reduce_sum(u * tf.constant(2.0 * h.numpy()))  # <- cause, raises

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "values": [[1.0, 0.5]],
        "variables": [w, u],
        "mode": "eager",
        "prebuild": False,
        "note": "an early break beside .numpy()",
    }


EXPECT = {"eager": {"x": "none-blocked left_tensorflow", "w": "none-blocked left_tensorflow", "u": "flows"}}
