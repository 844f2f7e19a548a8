"""A learnt limit that only stops the loop: it decides how often the loop runs, and gets no gradient."""

import tensorflow as tf


def build():
    limit = tf.Variable(6.0, name="limit")
    rate = tf.Variable(1.6, name="rate")

    def fn(x):
        def short(level):
            return tf.reduce_sum(level) < limit  # <- cause

        return tf.reduce_sum(tf.while_loop(short, lambda level: (level * rate,), (x,))[0])

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "values": [[0.5, 0.25]],
        "variables": [limit, rate],
        "mode": "graph",
        "note": "let the limit enter the computation",
    }


EXPECT = {
    "eager": {"x": "flows", "limit": "none-blocked condition_only", "rate": "flows"},
    "graph": {"x": "flows", "limit": "zero-blocked condition_only", "rate": "flows"},
}
