"""A tf.function called in a loop stores the order of its transpose, and XLA wants it at compile time."""

import tensorflow as tf


def build():
    turn = tf.Variable([[0.2, 0.7], [-0.4, 0.1]], name="turn")

    @tf.function  # <- warned, raises
    def mirrored(square):
        return tf.transpose(tf.sin(square * turn))

    def fn(x):
        for _ in tf.range(3):
            x = mirrored(x)
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([2, 2], "float32")],
        "concrete_shapes": [[2, 2]],
        "variables": [turn],
        "mode": "xla",
        "note": "drop @tf.function",
    }


EXPECT = {
    "graph": {"x": "flows", "turn": "flows"},
    "xla": "raises InvalidArgumentError",
}
