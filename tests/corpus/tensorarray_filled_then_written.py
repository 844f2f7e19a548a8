"""A loop fills a TensorArray, then one index is written once more: TF1 refuses, and the loop wrote it first."""

import tensorflow as tf


def build():
    inner = tf.Variable(0.3, name="inner")
    patch = tf.Variable(0.7, name="patch")

    def fn(x):
        rows = tf.TensorArray(tf.float32, size=3, element_shape=[2])
        last = tf.TensorArray(tf.float32, size=1, element_shape=[2]).write(0, x)

        def step(i, rows):
            return i + 1, rows.write(i, tf.sin(x) * inner)  # <- warned

        rows = tf.while_loop(lambda i, _: i < 3, step, (0, rows))[1]
        rows = rows.write(2, x * patch)  # <- raises
        return tf.reduce_sum(rows.stack()) + tf.reduce_sum(last.read(0))

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [inner, patch],
        "mode": "tf1",
        "note": "the other array has nothing to do with it",
    }


EXPECT = {
    "eager": {"x": "flows", "inner": "flows", "patch": "flows"},
    "graph": {"x": "flows", "inner": "flows", "patch": "flows"},
    "tf1": "raises InvalidArgumentError",
}
