"""x // w on floats: the gradient function returns None for both sides."""

import tensorflow as tf


def build():
    width = tf.Variable(0.25, name="width")
    height = tf.Variable(0.5, name="height")

    def fn(x):
        bins = x // width  # <- cause
        return tf.reduce_sum(bins * height)

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "variables": [width, height],
        "mode": "graph",
        "note": "x / width where a gradient is wanted",
    }


EXPECT = {
    "eager": {"x": "none-blocked rule_returns_none", "width": "none-blocked rule_returns_none", "height": "flows"},
    "graph": {"x": "none-blocked rule_returns_none", "width": "none-blocked rule_returns_none", "height": "flows"},
}
