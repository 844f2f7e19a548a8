"""The cure: tf.tensor_scatter_nd_update on a tensor that the loop carries. It flows."""

import tensorflow as tf


def build():
    weight = tf.Variable([0.5, -0.5], name="weight")

    def fn(x):
        board = tf.zeros([3, 2])
        for i in tf.range(3):
            board = tf.tensor_scatter_nd_update(board, [[i]], [x * weight])
        return tf.reduce_sum(tf.square(board))

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [weight],
        "mode": "graph",
        "note": "instead of row_written_into_variable",
    }


EXPECT = {"eager": {"x": "flows", "weight": "flows"}, "graph": {"x": "flows", "weight": "flows"}}
