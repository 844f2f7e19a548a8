"""A function under tf.custom_gradient reads a variable, but its grad takes no `variables` argument: TypeError."""

import tensorflow as tf


def build():
    power = tf.Variable(1.2, name="power")

    @tf.custom_gradient
    def bend(value):
        def grad(upstream):  # <- raises
            return upstream * power

        return value * power, grad

    def fn(x):
        def step(i, value):
            return i + 1, bend(value)

        return tf.reduce_mean(tf.while_loop(lambda i, _: i < 3, step, (0, x))[1])

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "variables": [power],
        "mode": "graph",
        "note": "def grad(upstream, variables=None)",
    }


EXPECT = {"eager": "raises TypeError", "graph": "raises TypeError"}
