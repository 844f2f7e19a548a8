"""The state is squared in every iteration: after a few it is infinite, and the gradient is not a number."""

import tensorflow as tf


def build():
    weight = tf.Variable(3.0, name="weight")

    def fn(x):
        def step(i, state):
            return i + 1, tf.square(state) * weight  # <- cause

        return tf.reduce_sum(tf.while_loop(lambda i, _: i < 8, step, (0, x))[1])

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "values": [[2.0, 0.0]],
        "variables": [weight],
        "mode": "graph",
        "note": "finite for five iterations",
    }


EXPECT = {
    "eager": {"x": "inf overflow", "weight": "inf overflow"},
    "graph": {"x": "inf overflow", "weight": "inf overflow"},
}
