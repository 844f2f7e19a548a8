"""tf.ones_like and tf.shape use the shape of a tensor, never its value."""

import tensorflow as tf


def build():
    weight = tf.Variable(2.0, name="weight")

    def fn(x, pattern):
        filled = tf.ones_like(pattern) * weight  # <- cause
        return tf.reduce_sum(x * filled)

    return {
        "fn": fn,
        "inputs": [([None], "float32"), ([None], "float32")],
        "concrete_shapes": [[3], [3]],
        "variables": [weight],
        "mode": "graph",
        "note": "pattern itself was meant",
    }


EXPECT = {
    "eager": {"x": "flows", "pattern": "none-disconnected shape_only", "weight": "flows"},
    "graph": {"x": "flows", "pattern": "none-disconnected shape_only", "weight": "flows"},
}
