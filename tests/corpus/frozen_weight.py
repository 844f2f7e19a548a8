"""A variable made with trainable=False is left alone by the tape, also where it is on the path."""

import tensorflow as tf


def build():
    frozen = tf.Variable([0.5, 1.5], trainable=False, name="frozen")
    head = tf.Variable(2.0, name="head")

    def fn(x):
        for _ in tf.range(2):
            x = tf.sin(x * frozen)
        return tf.reduce_sum(x) * head

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [frozen, head],
        "mode": "graph",
        "note": "meant for fine-tuning",
    }


EXPECT = {
    "eager": {"x": "flows", "frozen": "not-trainable not_trainable", "head": "flows"},
    "graph": {"x": "flows", "frozen": "not-trainable not_trainable", "head": "flows"},
}
