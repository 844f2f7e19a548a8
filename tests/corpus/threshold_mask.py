"""A comparison gives a bool, the cast makes a mask: the threshold never learns, the masked values do."""

import tensorflow as tf


def build():
    threshold = tf.Variable(0.2, name="threshold")

    def fn(x):
        mask = tf.cast(x > threshold, tf.float32)  # <- cause
        return tf.reduce_sum(mask * tf.square(x))

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "variables": [threshold],
        "mode": "graph",
        "note": "tf.sigmoid(k * (x - threshold)) is a soft mask",
    }


EXPECT = {
    "eager": {"x": "flows", "threshold": "none-blocked integer_dtype"},
    "graph": {"x": "flows", "threshold": "none-blocked integer_dtype"},
}
