"""Dropout with the same seed in every step of a loop: masks and scales, and flows."""

import tensorflow as tf


def build():
    weight = tf.Variable([0.5, 1.5, 1.0, 2.0], name="weight")

    def fn(x):
        def step(i, state):
            return i + 1, tf.nn.experimental.stateless_dropout(tf.sin(state * weight), 0.25, seed=[1, 2])

        return tf.reduce_sum(tf.while_loop(lambda i, _: i < 2, step, (0, x))[1])

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "variables": [weight],
        "mode": "graph",
        "note": "nothing is wrong here",
    }


EXPECT = {"eager": {"x": "flows", "weight": "flows"}, "graph": {"x": "flows", "weight": "flows"}}
