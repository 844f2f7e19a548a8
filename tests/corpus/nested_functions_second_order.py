"""A penalty through tf.functions inside one another, with a loop in the innermost (tensorflow#42845)."""

import tensorflow as tf


def build():
    lift = tf.Variable(0.4, name="lift")

    @tf.function
    def power(x):
        return tf.while_loop(lambda i, _: i < 3, lambda i, p: (i + 1, p * x + lift), (0, x))[1]

    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            top = power(x)
        return tape.gradient(top, x)

    return {
        "fn": lambda x: tf.square(slope(x)),
        "inputs": [([], "float32")],
        "concrete_shapes": [[]],
        "variables": [lift],
        "mode": "graph",
        "note": "second order",
    }


EXPECT = {"eager": {"x": "flows", "lift": "flows"}, "graph": {"x": "flows", "lift": "flows"}}
