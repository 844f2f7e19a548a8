"""A grad function under tf.custom_gradient that returns None for one of its inputs."""

import tensorflow as tf


def build():
    left = tf.Variable(0.5, name="left")
    right = tf.Variable(1.5, name="right")

    @tf.custom_gradient
    def blend(a, b):
        def grad(upstream):
            return upstream * b, None

        return a * b, grad

    def fn(x):
        return tf.reduce_sum(blend(x * left, x * right))  # <- cause

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [left, right],
        "mode": "graph",
        "note": "return upstream * a as well",
    }


EXPECT = {
    "eager": {"x": "flows", "left": "flows", "right": "none-blocked custom_gradient"},
    "graph": {"x": "flows", "left": "flows", "right": "none-blocked custom_gradient"},
}
