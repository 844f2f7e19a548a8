"""The epsilon under a norm is zero in float16, inside a loop: a zero state is divided by zero."""

import tensorflow as tf


def build():
    scale = tf.Variable(tf.constant(1.5, tf.float16), name="scale")

    def fn(x):
        for _ in tf.range(2):
            squares = tf.reduce_sum(x * x) + 1e-8  # <- cause
            x = scale * x / tf.sqrt(squares)
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([3], "float16")],
        "concrete_shapes": [[3]],
        "values": [[0.0, 0.0, 0.0]],
        "variables": [scale],
        "mode": "graph",
        "note": "1e-8 is below the smallest float16",
    }


EXPECT = {
    "eager": {"x": "nan float16_underflow", "scale": "nan float16_underflow"},
    "graph": {"x": "nan float16_underflow", "scale": "nan float16_underflow"},
}
