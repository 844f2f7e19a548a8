"""x % w on floats has a gradient, with respect to both sides."""

import tensorflow as tf


def build():
    period = tf.Variable(0.7, name="period")

    def fn(x):
        return tf.reduce_sum(tf.square(x % period))

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "values": [[1.0, 2.0, 3.0, 4.5]],
        "variables": [period],
        "mode": "graph",
        "note": "FloorMod",
    }


EXPECT = {"eager": {"x": "flows", "period": "flows"}, "graph": {"x": "flows", "period": "flows"}}
