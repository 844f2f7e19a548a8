"""The logarithm of a probability that is exactly zero: inf, and NaN where that meets a zero."""

import tensorflow as tf


def build():
    weight = tf.Variable(1.0, name="weight")

    def fn(x):
        chance = tf.nn.relu(x * weight)
        return -tf.reduce_mean(tf.math.log(chance))  # <- cause

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "values": [[0.5, -1.0, 0.25]],
        "variables": [weight],
        "mode": "graph",
        "note": "log_softmax, or a small number added",
    }


EXPECT = {
    "eager": {"x": "nan log_of_zero", "weight": "nan log_of_zero"},
    "graph": {"x": "nan log_of_zero", "weight": "nan log_of_zero"},
}
