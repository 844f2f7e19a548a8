"""tf.math.ceil has a gradient function that returns None: everything before it is lost (keras#15716)."""

import tensorflow as tf


def build():
    slope = tf.Variable([0.1, 0.3], name="slope")

    def fn(x):
        leaky = tf.maximum(x, 0.0) + slope * tf.minimum(x, 0.0)
        return tf.reduce_mean(tf.math.ceil(leaky))  # <- cause

    return {
        "fn": fn,
        "inputs": [([None, 2], "float32")],
        "concrete_shapes": [[3, 2]],
        "variables": [slope],
        "mode": "graph",
        "note": "a learnt slope, then ceil",
    }


EXPECT = {
    "eager": {"x": "none-blocked rule_returns_none", "slope": "none-blocked rule_returns_none"},
    "graph": {"x": "none-blocked rule_returns_none", "slope": "none-blocked rule_returns_none"},
}
