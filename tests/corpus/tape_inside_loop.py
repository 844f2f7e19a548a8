"""A tape inside the loop, around a tensor-dependent if: its gradient is differentiated again, and flows."""

import tensorflow as tf


def build():
    curve = tf.Variable(0.7, name="curve")

    def fn(x):
        total = 0.0
        for i in tf.range(3):
            with tf.GradientTape() as tape:
                tape.watch(x)
                energy = curve * x[i] ** 4 if x[i] > 0.2 else curve * tf.sin(x[i])
            total += tf.reduce_sum(tf.square(tape.gradient(energy, x)))
        return total

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "values": [[0.5, -0.4, 0.9]],
        "variables": [curve],
        "mode": "graph",
        "note": "second order by hand",
    }


EXPECT = {"eager": {"x": "flows", "curve": "flows"}, "graph": {"x": "flows", "curve": "flows"}}
