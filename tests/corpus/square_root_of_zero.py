"""sqrt at 0 has an infinite slope: inf for what goes in, NaN where that meets a zero."""

import tensorflow as tf


def build():
    weight = tf.Variable(1.5, name="weight")

    def fn(x):
        def step(t, value):
            return t + 1, tf.sqrt(value * weight)  # <- cause

        return tf.reduce_sum(tf.while_loop(lambda t, _: t < 1, step, (0, x))[1])

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "values": [[4.0, 0.0, 1.0]],
        "variables": [weight],
        "mode": "graph",
        "note": "one element is zero",
    }


EXPECT = {
    "eager": {"x": "inf sqrt_at_zero", "weight": "nan sqrt_at_zero"},
    "graph": {"x": "inf sqrt_at_zero", "weight": "nan sqrt_at_zero"},
}
