"""A gradient penalty whose tape does not watch its input: the inner gradient is None, and the next op says so."""

import tensorflow as tf


def build():
    critic = tf.Variable([0.5, -1.0], name="critic")

    def fn(x):
        middle = x * 0.5 + 0.25
        with tf.GradientTape() as tape:
            score = tf.reduce_sum(tf.sin(middle * critic))
        slope = tape.gradient(score, tf.constant([0.1, 0.2]))
        return tf.reduce_sum(tf.square(slope))  # <- raises

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [critic],
        "mode": "eager",
        "note": "tape.watch(middle), and ask for that",
    }


EXPECT = {"eager": "raises ValueError", "graph": "raises ValueError"}
