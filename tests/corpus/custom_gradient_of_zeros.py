"""A grad function that returns zeros_like instead of the gradient: finite, silent, and nothing is learnt."""

import tensorflow as tf


def build():
    weight = tf.Variable(0.5, name="weight")

    @tf.custom_gradient
    def clip(value):
        def grad(upstream):
            return tf.zeros_like(upstream)

        return tf.clip_by_value(value, -1.0, 1.0), grad

    def fn(x):
        return tf.reduce_sum(clip(x * weight))  # <- cause

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [weight],
        "mode": "graph",
        "note": "multiply upstream by the mask",
    }


EXPECT = {
    "eager": {"x": "zero-blocked custom_gradient", "weight": "zero-blocked custom_gradient"},
    "graph": {"x": "zero-blocked custom_gradient", "weight": "zero-blocked custom_gradient"},
}
