"""vectorized_map of tf.scan: the same fault as with a while loop (tensorflow#41789)."""

import tensorflow as tf


def build():
    inertia = tf.Variable(0.6, name="inertia")

    def fn(x):
        def follow(start):
            return tf.scan(lambda s, push: tf.sin(s * inertia) + push * start, tf.constant([0.5, 1.0]), start)[-1]

        return tf.reduce_sum(tf.vectorized_map(follow, x))  # <- warned

    return {
        "fn": fn,
        "inputs": [([5], "float32")],
        "concrete_shapes": [[5]],
        "variables": [inertia],
        "mode": "graph",
        "note": "put vectorized_map inside the scan",
    }


EXPECT = {"eager": {"x": "flows", "inertia": "flows"}, "graph": "raises ValueError"}
