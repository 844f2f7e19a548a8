"""tf.cast of a complex number keeps the real part: of what was purely imaginary nothing is left but zero."""

import tensorflow as tf


def build():
    turn = tf.Variable([0.5, 1.5], name="turn")

    def fn(x):
        wave = tf.complex(tf.zeros_like(turn), x * turn)
        return tf.reduce_sum(tf.cast(wave, tf.float32))

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [turn],
        "mode": "graph",
        "note": "tf.abs, or tf.math.imag",
    }


EXPECT = {"eager": {"x": "zero", "turn": "zero"}, "graph": {"x": "zero", "turn": "zero"}}
