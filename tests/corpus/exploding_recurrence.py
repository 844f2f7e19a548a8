"""Forty linear steps with a weight of 1.8: the gradient grows in every iteration."""

import tensorflow as tf


def build():
    weight = tf.Variable(1.8, name="weight")

    def fn(x):
        for _ in tf.range(40):
            x = x * weight
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "values": [[1.0, 0.5]],
        "variables": [weight],
        "mode": "graph",
        "note": "clip the gradient, bound the state",
    }


EXPECT = {
    "eager": {"x": "exploding", "weight": "exploding"},
    "graph": {"x": "exploding", "weight": "exploding"},
}
