"""The share of right answers as loss: tf.equal compares, and nothing before it gets a gradient."""

import tensorflow as tf


def build():
    weight = tf.Variable([[0.5, -0.5], [0.25, 0.75]], name="weight")

    def fn(x, label):
        guess = tf.argmax(tf.matmul(x, weight), axis=1, output_type=tf.int32)  # <- cause
        return tf.reduce_mean(tf.cast(tf.equal(guess, label), tf.float32))

    return {
        "fn": fn,
        "inputs": [([None, 2], "float32"), ([None], "int32")],
        "concrete_shapes": [[4, 2], [4]],
        "variables": [weight],
        "mode": "graph",
        "note": "use cross entropy",
    }


EXPECT = {
    "eager": {
        "x": "none-blocked integer_dtype",
        "label": "not-trainable not_trainable",
        "weight": "none-blocked integer_dtype",
    },
    "graph": {
        "x": "none-blocked integer_dtype",
        "label": "not-trainable not_trainable",
        "weight": "none-blocked integer_dtype",
    },
}
