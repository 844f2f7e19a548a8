"""batch_jacobian of a ragged computation: no vectorisation is defined for it (tensorflow#56300)."""

import tensorflow as tf


def build():
    def fn(x):
        rows = tf.RaggedTensor.from_row_lengths(x, [1, 2, 3])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(rows)
            totals = tf.reduce_sum(tf.exp(rows), axis=-2)
        return tf.reduce_sum(tape.batch_jacobian(totals, rows))  # <- raises

    return {
        "fn": fn,
        "inputs": [([6, 1], "float32")],
        "concrete_shapes": [[6, 1]],
        "variables": [],
        "mode": "eager",
        "note": "use dense tensors",
    }


EXPECT = {"eager": "raises ValueError"}
