"""A grad function that reads a variable, inside tf.cond: works eagerly, raises in a graph (tensorflow#50170)."""

import tensorflow as tf


def build():
    speed = tf.Variable(3.0, trainable=False, name="speed")

    @tf.custom_gradient
    def drive(value):
        def grad(upstream):
            return upstream * speed  # <- warned, raises

        return value * speed, grad

    def fn(x):
        return tf.cond(tf.reduce_max(x) > -99.0, lambda: tf.reduce_sum(drive(x)), lambda: 0.0)

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [],
        "mode": "graph",
        "note": "read the variable in the forward function instead",
    }


EXPECT = {"eager": {"x": "flows"}, "graph": "raises AttributeError"}
