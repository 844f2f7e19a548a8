"""tf.unique has no gradient: asked for one, TensorFlow raises LookupError."""

import tensorflow as tf


def build():
    weight = tf.Variable(2.0, name="weight")

    def fn(x):
        values, _ = tf.unique(x * weight)  # <- warned
        return tf.reduce_sum(tf.square(values))

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "values": [[1.0, 2.0, 1.0, 3.0]],
        "variables": [weight],
        "mode": "graph",
        "note": "take the indices, and gather",
    }


EXPECT = {"eager": "raises LookupError", "graph": "raises LookupError"}
