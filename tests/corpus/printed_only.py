"""A value is printed and asserted on, but never enters the loss."""

import tensorflow as tf


def build():
    watched = tf.Variable(0.5, name="watched")
    weight = tf.Variable(1.5, name="weight")

    def fn(x):
        tf.debugging.assert_less(watched * 2.0, 9.0)  # <- cause
        return tf.reduce_sum(x * weight)

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [watched, weight],
        "mode": "graph",
        "note": "add it to the loss",
    }


EXPECT = {
    "eager": {"x": "flows", "watched": "none-disconnected result_dropped", "weight": "flows"},
    "graph": {"x": "flows", "watched": "none-disconnected result_dropped", "weight": "flows"},
}
