"""The same mean with tf.math.divide_no_nan: zero for an empty mask, and no NaN."""

import tensorflow as tf


def build():
    weight = tf.Variable(0.5, name="weight")

    def fn(x, mask):
        errors = tf.square(x * weight) * mask
        return tf.math.divide_no_nan(tf.reduce_sum(errors), tf.reduce_sum(mask))

    return {
        "fn": fn,
        "inputs": [([2], "float32"), ([2], "float32")],
        "concrete_shapes": [[2], [2]],
        "values": [[1.0, 2.0], [0.0, 0.0]],
        "variables": [weight],
        "mode": "graph",
        "note": "the cure for masked_mean_of_nothing",
    }


EXPECT = {
    "eager": {"x": "zero", "mask": "zero", "weight": "zero"},
    "graph": {"x": "zero", "mask": "zero", "weight": "zero"},
}
