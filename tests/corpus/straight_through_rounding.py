"""The straight-through estimator: rounded forward, passed on as it is backward. It flows."""

import tensorflow as tf


def build():
    step_size = tf.Variable(0.6, name="step_size")

    def fn(x):
        for _ in tf.range(3):
            exact = x * step_size
            x = exact + tf.stop_gradient(tf.round(exact) - exact)
        return tf.reduce_sum(tf.square(x - 0.5))

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "values": [[14.0, -23.0, 37.0]],
        "variables": [step_size],
        "mode": "graph",
        "note": "the cure for rounding_on_path",
    }


EXPECT = {"eager": {"x": "flows", "step_size": "flows"}, "graph": {"x": "flows", "step_size": "flows"}}
