"""The body overwrites the state by something that does not come from it: the initial state never matters."""

import tensorflow as tf


def build():
    start = tf.Variable([0.5, 0.5], name="start")
    weight = tf.Variable([1.0, 2.0], name="weight")

    def fn(x):
        def step(i, state):
            state = tf.sin(x * weight)
            return i + 1, state

        return tf.reduce_sum(tf.while_loop(lambda i, _: i < 3, step, (0, tf.identity(start)))[1])  # <- cause

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [start, weight],
        "mode": "graph",
        "note": "use state in the body",
    }


EXPECT = {
    "eager": {"x": "flows", "start": "none-disconnected result_dropped", "weight": "flows"},
    "graph": {"x": "flows", "start": "zero-blocked replaced_each_iteration", "weight": "flows"},
}
