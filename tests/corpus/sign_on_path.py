"""tf.sign is flat: its gradient function gives zeros, always."""

import tensorflow as tf


def build():
    weight = tf.Variable([0.5, -0.5], name="weight")
    bias = tf.Variable(0.3, name="bias")

    def fn(x):
        return tf.reduce_mean(tf.sign(x * weight) * bias)  # <- cause

    return {
        "fn": fn,
        "inputs": [([None, 2], "float32")],
        "concrete_shapes": [[3, 2]],
        "variables": [weight, bias],
        "mode": "graph",
        "note": "tf.tanh(10 * x) is a soft sign",
    }


EXPECT = {
    "eager": {"x": "zero-blocked rule_gives_zero", "weight": "zero-blocked rule_gives_zero", "bias": "flows"},
    "graph": {"x": "zero-blocked rule_gives_zero", "weight": "zero-blocked rule_gives_zero", "bias": "flows"},
}
