"""A small loss in float16: the gradient is below the smallest number there is, and becomes zero."""

import tensorflow as tf


def build():
    weight = tf.Variable(tf.constant(0.5, tf.float16), name="weight")

    def fn(x):
        small = x * weight * tf.constant(1e-4, tf.float16)
        return tf.reduce_sum(tf.square(small)) * tf.constant(1e-4, tf.float16)

    return {
        "fn": fn,
        "inputs": [([2], "float16")],
        "concrete_shapes": [[2]],
        "values": [[0.5, 0.25]],
        "variables": [weight],
        "mode": "graph",
        "note": "scale the loss up, the gradient down",
    }


EXPECT = {"eager": {"x": "zero", "weight": "zero"}, "graph": {"x": "zero", "weight": "zero"}}
