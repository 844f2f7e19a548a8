"""A variable made at the first call and kept: no fresh weights, and tf.function accepts it."""

import tensorflow as tf


def build():
    kept = {}

    def fn(x):
        if not kept:
            kept["shift"] = tf.Variable([0.25, -0.5], name="shift")
        return tf.reduce_sum(tf.square(x + kept["shift"]))

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": lambda: list(kept.values()),
        "mode": "eager",
        "prebuild": False,
        "note": "as Keras layers do",
    }


EXPECT = {"eager": {"x": "flows", "shift": "flows"}}
