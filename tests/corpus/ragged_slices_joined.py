"""Slices of a ragged tensor, joined again: flows (tensorflow#59727)."""

import tensorflow as tf


def build():
    tilt = tf.Variable([1.0, 0.5, -0.5], name="tilt")

    def fn(x):
        rows = tf.RaggedTensor.from_row_lengths(x * tilt, [2, 0, 3])
        joined = tf.concat([rows[:, 1:], rows[:, :1]], axis=1)
        return tf.reduce_sum(tf.tanh(joined.flat_values))

    return {
        "fn": fn,
        "inputs": [([5, 3], "float32")],
        "concrete_shapes": [[5, 3]],
        "variables": [tilt],
        "mode": "graph",
        "note": "one row is empty",
    }


EXPECT = {"eager": {"x": "flows", "tilt": "flows"}, "graph": {"x": "flows", "tilt": "flows"}}
