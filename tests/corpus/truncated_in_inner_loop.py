"""stop_gradient on the carried state of the inner loop: only the last inner step reaches the weights."""

import tensorflow as tf


def build():
    start = tf.Variable([0.5, -0.5], name="start")
    weight = tf.Variable(0.9, name="weight")

    def fn(x):
        def inner(j, state):
            return j + 1, tf.sin(tf.stop_gradient(state) * weight + x)  # <- cause

        def outer(i, state):
            return i + 1, tf.while_loop(lambda j, _: j < 2, inner, (0, state))[1]

        return tf.reduce_sum(tf.while_loop(lambda i, _: i < 2, outer, (0, tf.identity(start)))[1])

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [start, weight],
        "mode": "graph",
        "note": "truncated backpropagation, too short",
    }


EXPECT = {
    "eager": {"x": "flows", "start": "none-blocked stop_gradient", "weight": "flows"},
    "graph": {"x": "flows", "start": "zero-blocked stop_gradient", "weight": "flows"},
}
