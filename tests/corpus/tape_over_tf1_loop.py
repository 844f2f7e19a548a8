"""A GradientTape over a TF1 while loop: NotImplementedError, tf.gradients is wanted (tensorflow#36581)."""

import tensorflow as tf


def build():
    bend = tf.Variable(0.5, name="bend")

    def fn(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            state = tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, tf.sin(s) * bend), (0, x))[1]
        return tf.square(tape.gradient(state, x))  # <- raises

    return {
        "fn": fn,
        "inputs": [([], "float32")],
        "concrete_shapes": [[]],
        "variables": [bend],
        "mode": "tf1",
        "note": "enable control flow v2",
    }


EXPECT = {
    "eager": {"x": "flows", "bend": "flows"},
    "graph": {"x": "flows", "bend": "flows"},
    "tf1": "raises NotImplementedError",
}
