"""map_fn whose function gives whole numbers: the mapped values lose the gradient inside the loop."""

import tensorflow as tf


def build():
    weight = tf.Variable(2.5, name="weight")
    price = tf.Variable(0.5, name="price")

    def fn(x):
        def count(row):
            return tf.cast(tf.reduce_sum(row * weight), tf.int32)  # <- cause

        counts = tf.map_fn(count, x, fn_output_signature=tf.int32)
        return tf.reduce_sum(tf.cast(counts, tf.float32)) * price

    return {
        "fn": fn,
        "inputs": [([None, 2], "float32")],
        "concrete_shapes": [[3, 2]],
        "variables": [weight, price],
        "mode": "graph",
        "note": "fn_output_signature=tf.float32",
    }


EXPECT = {
    "eager": {"x": "none-blocked integer_dtype", "weight": "none-blocked integer_dtype", "price": "flows"},
    "graph": {"x": "none-blocked integer_dtype", "weight": "none-blocked integer_dtype", "price": "flows"},
}
