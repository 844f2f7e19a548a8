"""0 ** p: the gradient of the base at zero is infinite for p below one."""

import tensorflow as tf


def build():
    power = tf.Variable(0.5, name="power")

    def fn(x):
        return tf.reduce_sum(tf.pow(x, power))  # <- cause

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "values": [[1.0, 0.0, 4.0]],
        "variables": [power],
        "mode": "graph",
        "note": "tf.maximum(x, 1e-6)",
    }


EXPECT = {
    "eager": {"x": "inf pow_at_zero", "power": "flows"},
    "graph": {"x": "inf pow_at_zero", "power": "flows"},
}
