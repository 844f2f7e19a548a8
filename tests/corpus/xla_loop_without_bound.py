"""Compiled by XLA, the backward pass must know how many values the loop can store: give maximum_iterations."""

import tensorflow as tf


def build():
    cool = tf.Variable(0.7, name="cool")

    def fn(x):
        state = tf.while_loop(lambda i, _: i < 4, lambda i, s: (i + 1, tf.sin(s * cool)), (0, x))[1]  # <- warned
        return tf.reduce_sum(state)

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [cool],
        "mode": "xla",
        "note": "works in eager code and in a plain graph (tensorflow#11275)",
    }


EXPECT = {
    "eager": {"x": "flows", "cool": "flows"},
    "graph": {"x": "flows", "cool": "flows"},
    "xla": "raises InvalidArgumentError",
}
