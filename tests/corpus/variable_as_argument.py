"""A tape in a tf.function that takes the variable as an argument: the second call reuses the first one's trace."""

import tensorflow as tf


def build():
    first = tf.Variable(2.0, name="first")
    second = tf.Variable(3.0, name="second")

    @tf.function
    def slope_of(variable):
        with tf.GradientTape() as tape:
            tape.watch(variable)
            curve = variable * variable * first
        return tape.gradient(curve, variable)

    def fn(x):
        return x * (slope_of(first) + slope_of(second))

    return {
        "fn": fn,
        "inputs": [([], "float32")],
        "concrete_shapes": [[]],
        "variables": [first, second],
        "mode": "graph",
        "note": "finite and wrong for second (tensorflow#57365)",
    }


EXPECT = {
    "eager": {"x": "flows", "first": "flows", "second": "flows"},
    "graph": {"x": "flows", "first": "flows", "second": "flows"},
}
