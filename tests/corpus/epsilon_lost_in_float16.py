"""1 - 1e-8 is 1 in float16: the clip does nothing, and the logarithm meets a zero (tensorflow#38457)."""

import tensorflow as tf


def build():
    logit = tf.Variable(tf.constant(2.0, tf.float16), name="logit")

    def fn(x):
        chance = tf.minimum(x * logit, tf.constant(1 - 1e-8, tf.float16))  # <- cause
        return -tf.reduce_sum(tf.math.log(1 - chance))

    return {
        "fn": fn,
        "inputs": [([2], "float16")],
        "concrete_shapes": [[2]],
        "values": [[0.5, 0.25]],
        "variables": [logit],
        "mode": "eager",
        "note": "compute the loss in float32",
    }


EXPECT = {
    "eager": {"x": "inf float16_underflow", "logit": "inf float16_underflow"},
    "graph": {"x": "inf float16_underflow", "logit": "inf float16_underflow"},
}
