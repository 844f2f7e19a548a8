"""The mean over a mask that is empty: 0 / 0 in the loss, NaN in every gradient."""

import tensorflow as tf


def build():
    weight = tf.Variable(0.5, name="weight")

    def fn(x, mask):
        errors = tf.square(x * weight) * mask
        return tf.reduce_sum(errors) / tf.reduce_sum(mask)  # <- cause

    return {
        "fn": fn,
        "inputs": [([4], "float32"), ([4], "float32")],
        "concrete_shapes": [[4], [4]],
        "values": [None, [0.0, 0.0, 0.0, 0.0]],
        "variables": [weight],
        "mode": "graph",
        "note": "tf.math.divide_no_nan",
    }


EXPECT = {
    "eager": {"x": "nan zero_over_zero", "mask": "nan zero_over_zero", "weight": "nan zero_over_zero"},
    "graph": {"x": "nan zero_over_zero", "mask": "nan zero_over_zero", "weight": "nan zero_over_zero"},
}
