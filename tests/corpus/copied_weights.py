"""A target network is a copy of the weights made with tf.identity at the start: it is not the network that learns."""

import tensorflow as tf


def build():
    policy = tf.Variable([0.5, -0.5], name="policy")
    target = tf.identity(policy)  # <- cause

    def fn(x):
        value = tf.reduce_sum(tf.tanh(x * target))
        return tf.square(1.0 - value)

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [policy],
        "mode": "graph",
        "note": "use the variable where it is to learn",
    }


EXPECT = {
    "eager": {"x": "flows", "policy": "none-blocked outside_tape"},
    "graph": {"x": "flows", "policy": "none-blocked outside_tape"},
}
