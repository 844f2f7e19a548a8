"""The loop counter, cast to float, scales the state: the counter is plumbing, the weights flow."""

import tensorflow as tf


def build():
    weight = tf.Variable(0.5, name="weight")

    def fn(x):
        def step(i, state):
            return i + 1, state * weight + tf.cast(i, tf.float32)

        return tf.reduce_sum(tf.while_loop(lambda i, _: i < 3, step, (0, x))[1])

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [weight],
        "mode": "graph",
        "note": "nothing is wrong here",
    }


EXPECT = {
    "eager": {"x": "flows", "weight": "flows"},
    "graph": {"x": "flows", "weight": "flows"},
    "tf1": {"x": "flows", "weight": "flows"},
}
