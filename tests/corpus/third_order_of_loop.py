"""Three tapes around one while loop: the third derivative of x ** 5 (tensorflow#35012)."""

import tensorflow as tf


def build():
    def fn(x):
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                power = tf.while_loop(lambda i, _: i < 4, lambda i, p: (i + 1, p * x), (0, x))[1]
            slope = first.gradient(power, x)
        return second.gradient(slope, x)

    return {
        "fn": fn,
        "inputs": [([], "float32")],
        "concrete_shapes": [[]],
        "values": [1.5],
        "variables": [],
        "mode": "graph",
        "note": "the tape around fn is the third",
    }


EXPECT = {"eager": {"x": "flows"}, "graph": {"x": "flows"}}
