"""A loop built with back_prop=False: cut in a graph, ignored in eager code."""

import tensorflow as tf


def build():
    spin = tf.Variable(0.6, name="spin")

    def fn(x):
        state = tf.while_loop(  # <- cause
            lambda i, _: i < 4, lambda i, s: (i + 1, tf.sin(s + spin)), (0, x), back_prop=False
        )[1]
        return tf.reduce_mean(state)

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [spin],
        "mode": "graph",
        "note": "a decoder for inference, reused in training",
    }


EXPECT = {
    "eager": {"x": "flows", "spin": "flows"},
    "graph": {"x": "none-blocked back_prop_false", "spin": "none-blocked back_prop_false"},
    "tf1": {"x": "none-blocked back_prop_false", "spin": "none-blocked back_prop_false"},
}
