"""tf.concat of an unknown size in a loop: XLA wants its offsets at compile time (tensorflow#62861)."""

import tensorflow as tf


def build():
    bias = tf.Variable(tf.fill([4, 1], 0.2), name="bias")

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])  # <- warned, raises
    def shift(rows):
        return tf.concat([tf.sin(bias) * rows[:, 1:], tf.zeros_like(bias)], axis=1)

    def fn(x):
        for _ in tf.range(3):
            x = tf.ensure_shape(shift(x), [4, 2])
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([4, 2], "float32")],
        "concrete_shapes": [[4, 2]],
        "variables": [bias],
        "mode": "xla",
        "note": "call the function without @tf.function, or write tf.stack",
    }


EXPECT = {
    "eager": {"x": "zero", "bias": "zero"},
    "graph": {"x": "zero", "bias": "zero"},
    "xla": "raises InvalidArgumentError",
}
