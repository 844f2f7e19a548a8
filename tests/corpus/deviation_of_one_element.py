"""The standard deviation over an axis of length one: the square root of a variance of zero (tensorflow#56830)."""

import tensorflow as tf


def build():
    factor = tf.Variable(2.0, name="factor")

    def fn(x):
        def add(i, total):
            spread = tf.math.reduce_std(x[i] * factor)  # <- cause
            return i + 1, total + spread

        return tf.while_loop(lambda i, _: i < tf.shape(x)[0], add, (0, 0.0))[1]

    return {
        "fn": fn,
        "inputs": [([None, 1], "float32")],
        "concrete_shapes": [[3, 1]],
        "variables": [factor],
        "mode": "graph",
        "note": "a batch of one",
    }


EXPECT = {
    "eager": {"x": "nan std_of_one_element", "factor": "nan std_of_one_element"},
    "graph": {"x": "nan std_of_one_element", "factor": "nan std_of_one_element"},
}
