"""The norm of a state that starts at zero: its gradient is 0/0 (tensorflow#12071)."""

import tensorflow as tf


def build():
    turn = tf.Variable([[0.0, 1.0], [-1.0, 0.0]], name="turn")

    def fn(x):
        def step(t, state):
            length = tf.norm(state)  # <- cause
            return t + 1, tf.sin(tf.linalg.matvec(turn, state) + x * length)

        last = tf.while_loop(lambda t, _: t < 3, step, (0, tf.zeros([2])))[1]
        return tf.reduce_sum(last + x)

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [turn],
        "mode": "graph",
        "note": "add a small number under the root",
    }


EXPECT = {
    "eager": {"x": "nan norm_at_zero", "turn": "nan norm_at_zero"},
    "graph": {"x": "nan norm_at_zero", "turn": "nan norm_at_zero"},
}
