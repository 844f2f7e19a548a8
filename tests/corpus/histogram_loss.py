"""A loss on a histogram: counting gives integers."""

import tensorflow as tf


def build():
    weight = tf.Variable(0.5, name="weight")
    price = tf.Variable([1.0, 2.0, 3.0], name="price")

    def fn(x):
        counts = tf.histogram_fixed_width(x * weight, [-1.0, 1.0], nbins=3)  # <- cause
        return tf.reduce_sum(tf.cast(counts, tf.float32) * price)

    return {
        "fn": fn,
        "inputs": [([8], "float32")],
        "concrete_shapes": [[8]],
        "variables": [weight, price],
        "mode": "graph",
        "note": "a sum of soft bins",
    }


EXPECT = {
    "eager": {"x": "none-blocked integer_dtype", "weight": "none-blocked integer_dtype", "price": "flows"},
    "graph": {"x": "none-blocked integer_dtype", "weight": "none-blocked integer_dtype", "price": "flows"},
}
