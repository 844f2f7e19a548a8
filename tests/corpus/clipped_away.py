"""tf.clip_by_value with everything outside its limits: the path is whole, the gradient is exactly zero."""

import tensorflow as tf


def build():
    weight = tf.Variable(5.0, name="weight")

    def fn(x):
        return tf.reduce_sum(tf.clip_by_value(x * weight, -1.0, 1.0))

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "values": [[2.0, -3.0]],
        "variables": [weight],
        "mode": "graph",
        "note": "a value, not a cut",
    }


EXPECT = {"eager": {"x": "zero", "weight": "zero"}, "graph": {"x": "zero", "weight": "zero"}}
