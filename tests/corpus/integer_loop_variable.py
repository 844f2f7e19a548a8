"""A loop variable that starts as 0 instead of 0.0: an integer sum, into which nothing can flow."""

import tensorflow as tf


def build():
    weight = tf.Variable(2.5, name="weight")
    price = tf.Variable(0.5, name="price")

    def fn(x):
        def add(i, total):
            return i + 1, total + tf.cast(x[i] * weight, tf.int32)  # <- cause

        total = tf.while_loop(lambda i, _: i < 3, add, (0, 0))[1]
        return tf.cast(total, tf.float32) * price

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [weight, price],
        "mode": "graph",
        "note": "start with 0.0",
    }


EXPECT = {
    "eager": {"x": "none-blocked integer_dtype", "weight": "none-blocked integer_dtype", "price": "flows"},
    "graph": {"x": "none-blocked integer_dtype", "weight": "none-blocked integer_dtype", "price": "flows"},
    "tf1": {"x": "none-blocked integer_dtype", "weight": "none-blocked integer_dtype", "price": "flows"},
}
