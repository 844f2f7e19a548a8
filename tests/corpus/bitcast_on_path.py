"""tf.bitcast looks at the same bits as another type: to an integer here, and no gradient comes back."""

import tensorflow as tf


def build():
    weight = tf.Variable([1.0, 2.0], name="weight")
    scale = tf.Variable(0.5, name="scale")

    def fn():
        bits = tf.bitcast(weight * 2.0, tf.int32)  # <- cause
        return tf.reduce_sum(tf.bitcast(bits, tf.float32)) * scale

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [weight, scale],
        "mode": "graph",
        "note": "through int32",
    }


EXPECT = {
    "eager": {"weight": "none-blocked integer_dtype", "scale": "flows"},
    "graph": {"weight": "none-blocked integer_dtype", "scale": "flows"},
}
