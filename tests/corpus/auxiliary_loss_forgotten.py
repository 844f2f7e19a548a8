"""An auxiliary loss is computed, and then the function returns the main one only."""

import tensorflow as tf


def build():
    shared = tf.Variable([0.5, 1.0], name="shared")
    helper = tf.Variable([1.0, -1.0], name="helper")

    def fn(x):
        features = tf.sin(x * shared)
        auxiliary = tf.reduce_sum(features * helper)
        main = tf.reduce_sum(tf.square(features))
        total = main + 0.1 * auxiliary  # <- cause
        del total
        return main

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [shared, helper],
        "mode": "graph",
        "note": "return the total",
    }


EXPECT = {
    "eager": {"x": "flows", "shared": "flows", "helper": "none-disconnected result_dropped"},
    "graph": {"x": "flows", "shared": "flows", "helper": "none-disconnected result_dropped"},
}
