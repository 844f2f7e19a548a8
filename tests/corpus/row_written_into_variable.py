"""A row is written into a variable in the loop (scatter_update): what was written gets no gradient."""

import tensorflow as tf


def build():
    weight = tf.Variable([0.5, -0.5], name="weight")
    board = tf.Variable(tf.zeros([3, 2]), name="board")

    def fn(x):
        for i in tf.range(3):
            board.scatter_nd_update([[i]], [x * weight])  # <- cause
        return tf.reduce_sum(tf.square(board))

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [weight, board],
        "mode": "graph",
        "note": "tf.tensor_scatter_nd_update on a tensor",
    }


EXPECT = {
    "eager": {"x": "none-blocked assigned", "weight": "none-blocked assigned", "board": "flows"},
    "graph": {"x": "none-blocked assigned", "weight": "none-blocked assigned", "board": "flows"},
}
