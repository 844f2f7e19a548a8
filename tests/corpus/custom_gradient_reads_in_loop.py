"""A grad function that reads a variable, in the body of a graph loop: the backward pass raises."""

import tensorflow as tf


def build():
    friction = tf.Variable(0.9, name="friction")

    @tf.custom_gradient
    def slide(value):
        def grad(upstream, variables=None):
            along = upstream * friction  # <- warned, raises
            return along, [tf.reduce_sum(upstream * value)]

        return value * friction, grad

    def fn(x):
        return tf.reduce_sum(tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, slide(v)), (0, x))[1])

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [friction],
        "mode": "graph",
        "note": "read friction before the loop and pass its value in",
    }


EXPECT = {"eager": {"x": "flows", "friction": "flows"}, "graph": "raises ValueError"}
