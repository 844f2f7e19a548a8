"""A break in a loop over tf.range becomes a boolean loop variable: the gradient flows through the steps taken."""

import tensorflow as tf


def build():
    shrink = tf.Variable(0.4, name="shrink")

    def fn(x):
        for _ in tf.range(20):
            x = tf.sin(x) * shrink
            if tf.norm(x) < 0.05:
                break
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [shrink],
        "mode": "graph",
        "note": "stops early",
    }


EXPECT = {"eager": {"x": "flows", "shrink": "flows"}, "graph": {"x": "flows", "shrink": "flows"}}
