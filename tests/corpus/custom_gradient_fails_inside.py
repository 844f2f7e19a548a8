"""The grad function itself fails, once the backward pass runs it: the line inside it is the one to edit."""

import tensorflow as tf


def build():
    weight = tf.Variable([0.3, -0.6], name="weight")

    def fn(x):
        @tf.custom_gradient
        def stretch(value):
            def grad(upstream):
                doubled = 2.0 * upstream
                return tf.reshape(doubled, [5])  # <- raises

            return 2.0 * value, grad

        for _ in tf.range(2):
            x = stretch(x * weight)
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [weight],
        "mode": "graph",
        "note": "return doubled",
    }


EXPECT = {"eager": "raises InvalidArgumentError", "graph": "raises ValueError"}
