"""tf.switch_case by a number that was cast to an integer: the number learns nothing, the branches do."""

import tensorflow as tf


def build():
    dial = tf.Variable(1.3, name="dial")
    weight = tf.Variable(0.5, name="weight")

    def fn(x):
        level = tf.reduce_sum(x)
        branch = tf.cast(dial, tf.int32)  # <- cause
        return tf.switch_case(branch, [lambda: level + weight, lambda: tf.square(level) * weight, lambda: level])

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [dial, weight],
        "mode": "graph",
        "note": "branch 1 is taken",
    }


EXPECT = {
    "eager": {"x": "flows", "dial": "none-blocked integer_dtype", "weight": "flows"},
    "graph": {"x": "flows", "dial": "none-blocked integer_dtype", "weight": "flows"},
}
