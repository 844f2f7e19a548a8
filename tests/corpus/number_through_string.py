"""A number becomes a string and a number again: strings have no gradient."""

import tensorflow as tf


def build():
    weight = tf.Variable(1.25, name="weight")
    factor = tf.Variable(0.5, name="factor")

    def fn(x):
        text = tf.strings.as_string(x * weight, precision=2)  # <- cause
        return tf.reduce_sum(tf.strings.to_number(text) * factor)

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [weight, factor],
        "mode": "graph",
        "note": "format for printing only",
    }


EXPECT = {
    "eager": {"x": "none-blocked integer_dtype", "weight": "none-blocked integer_dtype", "factor": "flows"},
    "graph": {"x": "none-blocked integer_dtype", "weight": "none-blocked integer_dtype", "factor": "flows"},
}
