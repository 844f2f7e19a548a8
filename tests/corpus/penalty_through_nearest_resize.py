"""The same penalty with the nearest neighbour kernel: its gradient has no gradient, and TensorFlow raises."""

import tensorflow as tf


def build():
    bright = tf.Variable(0.6, name="bright")

    def fn(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            small = tf.image.resize(tf.square(x) * bright, [2, 2], method="nearest")
            score = tf.reduce_sum(tf.square(small))
        slope = tape.gradient(score, x)  # <- warned
        return tf.reduce_mean(tf.square(slope))

    return {
        "fn": fn,
        "inputs": [([1, 3, 3, 1], "float32")],
        "concrete_shapes": [[1, 3, 3, 1]],
        "variables": [bright],
        "mode": "eager",
        "note": "pool or reshape instead",
    }


EXPECT = {"eager": "raises LookupError", "graph": "raises LookupError"}
