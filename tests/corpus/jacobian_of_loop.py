"""tape.jacobian of a recurrent layer, used in the loss: it loops over the outputs, or vectorises the loop."""

import tensorflow as tf


def build():
    pull = tf.Variable(0.6, name="pull")

    def fn(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            state = tf.while_loop(lambda i, _: i < 2, lambda i, s: (i + 1, tf.sin(s * pull)), (0, x))[1]
        return tf.reduce_sum(tf.square(tape.jacobian(state, x, experimental_use_pfor=False)))

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [pull],
        "mode": "graph",
        "note": "without pfor",
    }


EXPECT = {"graph": {"x": "flows", "pull": "flows"}}
