"""Sorting and top_k pass the gradient of the values to where they came from."""

import tensorflow as tf


def build():
    weight = tf.Variable([1.0, -2.0, 0.5, 3.0], name="weight")

    def fn(x):
        best, _ = tf.nn.top_k(tf.sort(x * weight), k=2)
        return tf.reduce_sum(tf.square(best))

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "variables": [weight],
        "mode": "graph",
        "note": "the indices of top_k have none",
    }


EXPECT = {"eager": {"x": "flows", "weight": "flows"}, "graph": {"x": "flows", "weight": "flows"}}
