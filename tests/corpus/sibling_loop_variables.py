"""Two loop variables start from one tensor. In a graph body they are strangers; in eager code they are the same."""

import tensorflow as tf


def build():
    def fn(x):
        def step(i, left, right, total):
            with tf.GradientTape() as tape:
                tape.watch(right)
                square = left * left  # <- cause
            slope = tape.gradient(square, right, unconnected_gradients=tf.UnconnectedGradients.ZERO)
            return i + 1, left, right, total + slope

        return tf.while_loop(lambda i, *_: i < 1, step, (0, x, x, 0.0))[3]

    return {
        "fn": fn,
        "inputs": [([], "float32")],
        "concrete_shapes": [[]],
        "values": [3.0],
        "variables": [],
        "mode": "graph",
        "note": "derive one from the other inside the body (tensorflow#16333)",
    }


EXPECT = {"eager": {"x": "flows"}, "graph": {"x": "zero-blocked result_dropped"}}
