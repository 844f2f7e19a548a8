"""Compiled by XLA too, an integer in the loop body cuts the path, and the answer is zero instead of None."""

import tensorflow as tf


def build():
    before = tf.Variable(2.5, name="before")
    behind = tf.Variable(0.5, name="behind")

    def fn(x):
        def step(i, state):
            return i + 1, tf.cast(tf.cast(state * before, tf.int32), tf.float32) * behind  # <- cause

        return tf.reduce_sum(tf.while_loop(lambda i, _: i < 2, step, (0, x), maximum_iterations=2)[1])

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "values": [[3.0, 5.0]],
        "variables": [before, behind],
        "mode": "xla",
        "note": "the same as without XLA",
    }


EXPECT = {
    "graph": {"x": "zero-blocked integer_dtype", "before": "zero-blocked integer_dtype", "behind": "flows"},
    "xla": {"x": "zero-blocked integer_dtype", "before": "zero-blocked integer_dtype", "behind": "flows"},
}
