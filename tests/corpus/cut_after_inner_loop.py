"""The result of the inner loop is rounded to a grid before the outer loop carries it on."""

import tensorflow as tf


def build():
    fine = tf.Variable(0.9, name="fine")
    coarse = tf.Variable(1.1, name="coarse")

    def fn(x):
        for _ in tf.range(2):
            state = x
            for _ in tf.range(3):
                state = tf.sin(state * fine) + x
            x = tf.floor(state * 8.0) * coarse  # <- cause
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "values": [[0.7, 1.9]],
        "variables": [fine, coarse],
        "mode": "graph",
        "note": "AutoGraph loops",
    }


EXPECT = {
    "eager": {"x": "none-blocked rule_returns_none", "fine": "none-blocked rule_returns_none", "coarse": "flows"},
    "graph": {"x": "zero-blocked rule_returns_none", "fine": "zero-blocked rule_returns_none", "coarse": "flows"},
}
