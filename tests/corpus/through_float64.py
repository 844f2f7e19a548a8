"""A detour over float64: a cast between floats passes the gradient."""

import tensorflow as tf


def build():
    weight = tf.Variable(0.5, name="weight")

    def fn(x):
        for _ in tf.range(2):
            x = tf.cast(tf.sin(tf.cast(x * weight, tf.float64)), tf.float32)
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [weight],
        "mode": "graph",
        "note": "not every cast cuts",
    }


EXPECT = {"eager": {"x": "flows", "weight": "flows"}, "graph": {"x": "flows", "weight": "flows"}}
