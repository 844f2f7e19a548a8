"""tf.py_function returns an integer: the path ends there."""

import tensorflow as tf


def build():
    weight = tf.Variable(3.0, name="weight")
    unit = tf.Variable(0.5, name="unit")

    def count(value):
        return tf.cast(tf.reduce_sum(value), tf.int32)

    def fn(x):
        number = tf.py_function(count, [x * weight], tf.int32)  # <- cause
        return tf.cast(tf.ensure_shape(number, []), tf.float32) * unit

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [weight, unit],
        "mode": "graph",
        "note": "return a float",
    }


EXPECT = {
    "eager": {"x": "none-blocked left_tensorflow", "weight": "none-blocked left_tensorflow", "unit": "flows"},
    "graph": {"x": "none-blocked left_tensorflow", "weight": "none-blocked left_tensorflow", "unit": "flows"},
}
