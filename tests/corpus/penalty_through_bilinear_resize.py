"""A penalty through tf.image.resize: the second path of the bilinear kernel is dropped silently (tensorflow#33751)."""

import tensorflow as tf


def build():
    bright = tf.Variable(0.6, name="bright")

    def fn(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            small = tf.image.resize(tf.square(x) * bright, [2, 2], method="bilinear")
            score = tf.reduce_sum(tf.square(small))
        return tf.reduce_mean(tf.square(tape.gradient(score, x)))

    return {
        "fn": fn,
        "inputs": [([1, 3, 3, 1], "float32")],
        "concrete_shapes": [[1, 3, 3, 1]],
        "variables": [bright],
        "mode": "eager",
        "note": "finite, and about half of what it should be",
    }


EXPECT = {"eager": {"x": "flows", "bright": "flows"}, "graph": {"x": "flows", "bright": "flows"}}
