"""tf.recompute_grad around a lambda, applied by tf.scan: the same fault as in a loop."""

import tensorflow as tf


def build():
    rate = tf.Variable(0.4, name="rate")

    def fn(x):
        cell = tf.recompute_grad(lambda state: tf.sin(state * rate))  # <- warned, raises
        states = tf.scan(lambda state, push: cell(state) + push, x, tf.constant(0.1))
        return tf.reduce_sum(states)

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "variables": [rate],
        "mode": "graph",
        "note": "put tf.recompute_grad around the whole scan",
    }


EXPECT = {"eager": {"x": "flows", "rate": "flows"}, "graph": "raises ValueError"}
