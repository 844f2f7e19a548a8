"""The width is given to a rounding draw: Poisson counts have no gradient with respect to their rate."""

import tensorflow as tf


def build():
    rate = tf.Variable([4.0, 7.0], name="rate")
    worth = tf.Variable(0.5, name="worth")

    def fn():
        counts = tf.random.stateless_poisson([2], [5, 6], rate, tf.float32)  # <- cause
        return tf.reduce_sum(counts) * worth

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [rate, worth],
        "mode": "graph",
        "note": "counts are discrete",
    }


EXPECT = {
    "eager": {"rate": "none-blocked not_differentiable", "worth": "flows"},
    "graph": {"rate": "none-blocked not_differentiable", "worth": "flows"},
}
