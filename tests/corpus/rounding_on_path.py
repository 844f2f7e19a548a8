"""tf.round in a loop: the gradient function returns None for it."""

import tensorflow as tf


def build():
    step_size = tf.Variable(0.6, name="step_size")
    scale = tf.Variable(1.5, name="scale")

    def fn(x):
        for _ in tf.range(3):
            x = tf.round(x / step_size) * scale  # <- cause
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "values": [[4.0, -3.0, 7.0]],
        "variables": [step_size, scale],
        "mode": "graph",
        "note": "x + tf.stop_gradient(tf.round(x) - x)",
    }


EXPECT = {
    "eager": {"x": "none-blocked rule_returns_none", "step_size": "none-blocked rule_returns_none", "scale": "flows"},
    "graph": {"x": "zero-blocked rule_returns_none", "step_size": "zero-blocked rule_returns_none", "scale": "flows"},
}
