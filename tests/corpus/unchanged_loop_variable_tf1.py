"""A loop variable handed on as it is: its gradient was dropped long ago (tensorflow#1093), today it flows."""

import tensorflow as tf


def build():
    height = tf.Variable(1.5, name="height")

    def fn():
        kept = tf.while_loop(lambda i, _: i < 2, lambda i, value: (i + 1, value), (0, tf.convert_to_tensor(height)))[1]
        return kept**3

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [height],
        "mode": "tf1",
        "note": "the body only counts",
    }


EXPECT = {"eager": {"height": "flows"}, "graph": {"height": "flows"}, "tf1": {"height": "flows"}}
