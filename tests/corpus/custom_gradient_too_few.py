"""A grad function gives one gradient for two inputs: every way raises, in words of its own."""

import tensorflow as tf


def build():
    pull = tf.Variable(0.8, name="pull")

    @tf.custom_gradient
    def spring(place, force):
        def grad(upstream):  # <- raises
            return upstream * force

        return place * force, grad

    def fn(x):
        force = tf.sin(x) * pull
        for _ in tf.range(2):
            x = spring(x, force)
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [pull],
        "mode": "graph",
        "note": "return upstream * force, upstream * place",
    }


EXPECT = {"eager": "raises ValueError", "graph": "raises ValueError"}
