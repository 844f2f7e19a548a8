"""tf.recompute_grad around a block that reads a variable, in a graph loop: the backward pass raises."""

import tensorflow as tf


def build():
    mixer = tf.Variable([[0.4, 0.1], [-0.2, 0.5]], name="mixer")

    def fn(x):
        @tf.recompute_grad  # <- warned, raises
        def block(state):
            return tf.sigmoid(tf.matmul(state, mixer))

        for _ in tf.range(2):
            x = block(x)
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([3, 2], "float32")],
        "concrete_shapes": [[3, 2]],
        "variables": [mixer],
        "mode": "graph",
        "note": "works in eager code (tensorflow#55304)",
    }


EXPECT = {"eager": {"x": "flows", "mixer": "flows"}, "graph": "raises ValueError"}
