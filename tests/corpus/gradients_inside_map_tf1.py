"""tf.gradients inside map_fn, of its element and with respect to what is outside: a TF1 TensorArray refuses."""

import tensorflow as tf


def build():
    def fn(x):
        parts = tf.exp(x)
        return tf.reduce_sum(tf.map_fn(lambda part: tf.gradients(part, x)[0], parts))

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [],
        "mode": "tf1",
        "note": "use tape.jacobian (tensorflow#10476)",
    }


EXPECT = {"graph": {"x": "flows"}, "tf1": "raises InvalidArgumentError"}
