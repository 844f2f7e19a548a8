"""A variable decides only which branch is taken: a choice has no gradient."""

import tensorflow as tf


def build():
    gate = tf.Variable(0.4, name="gate")
    weight = tf.Variable(2.0, name="weight")

    def fn(x):
        total = tf.reduce_sum(x)
        return tf.cond(total * gate > 0.0, lambda: total * weight, lambda: total - weight)  # <- cause

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [gate, weight],
        "mode": "graph",
        "note": "mix both branches by tf.sigmoid(gate)",
    }


EXPECT = {
    "eager": {"x": "flows", "gate": "none-blocked condition_only", "weight": "flows"},
    "graph": {"x": "flows", "gate": "none-blocked condition_only", "weight": "flows"},
}
