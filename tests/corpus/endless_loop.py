"""The condition looks at the shape, and the body restores it every time: the loop never ends (tensorflow#126891)."""

import tensorflow as tf


def build():
    grow = tf.Variable(1.1, name="grow")

    def fn(x):
        def widen(rows):
            return (tf.reshape(tf.tile(rows * grow, [1, 1]), [2, 2]),)

        return tf.reduce_sum(tf.while_loop(lambda rows: tf.shape(rows)[0] < 5, widen, (x,))[0])  # <- raises

    return {
        "fn": fn,
        "inputs": [([2, 2], "float32")],
        "concrete_shapes": [[2, 2]],
        "variables": [grow],
        "mode": "graph",
        "note": "give maximum_iterations",
    }


EXPECT = {"graph": "timed_out"}
