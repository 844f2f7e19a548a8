"""where(x > 0, sqrt(x), 0) at zero: the CPU kernel knows that zero times infinity is to be zero, XLA gives NaN."""

import tensorflow as tf


def build():
    shift = tf.Variable(0.0, name="shift")

    def fn(x):
        moved = x + shift
        return tf.reduce_sum(tf.where(moved > 0.0, tf.sqrt(moved), 0.0))

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "values": [[4.0, 0.0, 1.0]],
        "variables": [shift],
        "mode": "graph",
        "note": "sqrt(where(x > 0, x, 1.0)) inside the where",
    }


EXPECT = {
    "eager": {"x": "flows", "shift": "flows"},
    "graph": {"x": "flows", "shift": "flows"},
    "xla": {"x": "nan", "shift": "nan"},
}
