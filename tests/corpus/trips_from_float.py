"""The number of iterations is computed from a variable: an integer, and then only a bound."""

import tensorflow as tf


def build():
    depth = tf.Variable(3.4, name="depth")
    weight = tf.Variable(0.8, name="weight")

    def fn(x):
        for _ in tf.range(tf.cast(depth, tf.int32)):  # <- cause
            x = tf.sin(x * weight)
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [depth, weight],
        "mode": "graph",
        "note": "a number of layers cannot be learnt this way",
    }


EXPECT = {
    "eager": {"x": "flows", "depth": "none-blocked integer_dtype", "weight": "flows"},
    "graph": {"x": "flows", "depth": "none-blocked integer_dtype", "weight": "flows"},
}
