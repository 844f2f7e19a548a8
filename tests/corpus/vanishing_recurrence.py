"""Thirty steps with a weight of 0.3: the gradient is there, and too small to learn from."""

import tensorflow as tf


def build():
    first = tf.Variable(0.5, name="first")
    weight = tf.Variable(0.3, name="weight")

    def fn():
        def step(i, state):
            return i + 1, tf.tanh(state * weight)

        return tf.square(1.0 - tf.while_loop(lambda i, _: i < 30, step, (0, first * 1.0))[1])

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [first, weight],
        "mode": "graph",
        "note": "a gated cell",
    }


EXPECT = {
    "eager": {"first": "vanishing", "weight": "vanishing"},
    "graph": {"first": "vanishing", "weight": "vanishing"},
}
