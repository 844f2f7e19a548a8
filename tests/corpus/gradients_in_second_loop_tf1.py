"""A loop that differentiates the result of an earlier loop: TF1 walks back into the first one (tensorflow#22221)."""

import tensorflow as tf


def build():
    goal = tf.Variable(1.5, name="goal")

    def fn():
        rolled = tf.while_loop(lambda i, _: i < 2, lambda i, s: (i + 1, s + goal), (0, 0.0))[1]

        def correct(i, total):
            return i + 1, total + tf.gradients(tf.square(goal - rolled), goal)[0]  # <- raises

        return tf.while_loop(lambda i, _: i < 1, correct, (0, 0.0))[1]

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [goal],
        "mode": "tf1",
        "note": "differentiate outside the loop",
    }


EXPECT = {"tf1": "raises ValueError"}
