"""The cure for XLA: maximum_iterations. The gradient flows, compiled or not."""

import tensorflow as tf


def build():
    cool = tf.Variable(0.7, name="cool")

    def fn(x):
        state = tf.while_loop(lambda i, _: i < 4, lambda i, s: (i + 1, tf.sin(s * cool)), (0, x), maximum_iterations=4)[
            1
        ]
        return tf.reduce_sum(state)

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [cool],
        "mode": "xla",
        "note": "a Python number, not a tensor",
    }


EXPECT = {"graph": {"x": "flows", "cool": "flows"}, "xla": {"x": "flows", "cool": "flows"}}
