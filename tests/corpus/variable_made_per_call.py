"""tf.Variable made inside the function: fresh in every call, so nothing is ever learnt; tf.function refuses."""

import tensorflow as tf


def build():
    def fn(x):
        weight = tf.Variable([0.5, -0.5], name="weight")  # <- warned in eager, raises
        return tf.reduce_sum(tf.square(x * weight))

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [],
        "mode": "eager",
        "prebuild": False,
        "note": "make it once, outside",
    }


EXPECT = {"eager": {"x": "flows"}, "graph": "raises ValueError"}
