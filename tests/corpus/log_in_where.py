"""where(x > 0, x * log(x), 0) with a zero in x: the branch not taken makes the gradient NaN."""

import tensorflow as tf


def build():
    weight = tf.Variable([1.0, 1.0, 1.0], name="weight")

    def fn(x):
        share = x * weight
        return -tf.reduce_sum(tf.where(share > 0.0, share * tf.math.log(share), 0.0))  # <- cause

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "values": [[0.5, 0.0, 0.5]],
        "variables": [weight],
        "mode": "graph",
        "note": "tf.math.xlogy",
    }


EXPECT = {
    "eager": {"x": "nan where_trap", "weight": "nan where_trap"},
    "graph": {"x": "nan where_trap", "weight": "nan where_trap"},
}
