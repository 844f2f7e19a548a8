"""tf.py_function in a graph loop: its backward pass raises, although it works in eager code."""

import tensorflow as tf


def build():
    weight = tf.Variable(0.5, name="weight")

    def fn(x):
        def step(i, state):
            bent = tf.py_function(tf.sin, [state * weight], tf.float32)  # <- warned
            return i + 1, tf.ensure_shape(bent, [2])

        return tf.reduce_sum(tf.while_loop(lambda i, _: i < 2, step, (0, x))[1])

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [weight],
        "mode": "graph",
        "note": "write tf.sin itself",
    }


EXPECT = {"eager": {"x": "flows", "weight": "flows"}, "graph": "raises UnknownError"}
