"""A relu that is off for all inputs: the path is whole, the gradient is exactly zero, and stays so."""

import tensorflow as tf


def build():
    weight = tf.Variable([[1.0, 0.5]], name="weight")
    bias = tf.Variable([-9.0, -9.0], name="bias")

    def fn(x):
        return tf.reduce_sum(tf.nn.relu(tf.matmul(x, weight) + bias))

    return {
        "fn": fn,
        "inputs": [([None, 1], "float32")],
        "concrete_shapes": [[3, 1]],
        "variables": [weight, bias],
        "mode": "graph",
        "note": "leaky_relu, or a smaller learning rate",
    }


EXPECT = {
    "eager": {"x": "zero", "weight": "zero", "bias": "zero"},
    "graph": {"x": "zero", "weight": "zero", "bias": "zero"},
}
