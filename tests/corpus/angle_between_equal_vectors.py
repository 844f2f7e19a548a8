"""acos of a cosine of one: the angle between a vector and itself has an infinite slope."""

import tensorflow as tf


def build():
    axis = tf.Variable([0.0, 2.0], name="axis")

    def fn(x):
        cosine = tf.reduce_sum(tf.math.l2_normalize(x) * tf.math.l2_normalize(axis))
        return tf.acos(cosine)  # <- cause

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "values": [[0.0, 4.0]],
        "variables": [axis],
        "mode": "graph",
        "note": "atan2 of the cross product and the cosine",
    }


EXPECT = {
    "eager": {"x": "nan arc_at_border", "axis": "nan arc_at_border"},
    "graph": {"x": "nan arc_at_border", "axis": "nan arc_at_border"},
}
