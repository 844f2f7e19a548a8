"""tf.image.adjust_contrast has no gradient registered: TensorFlow raises LookupError, in a graph while tracing."""

import tensorflow as tf


def build():
    bright = tf.Variable(0.5, name="bright")

    def fn(x):
        picture = tf.image.adjust_contrast(x * bright, 2.0)  # <- warned
        return tf.reduce_mean(tf.square(picture))

    return {
        "fn": fn,
        "inputs": [([1, 2, 2, 3], "float32")],
        "concrete_shapes": [[1, 2, 2, 3]],
        "variables": [bright],
        "mode": "graph",
        "note": "write (x - mean) * factor + mean",
    }


EXPECT = {"eager": "raises LookupError", "graph": "raises LookupError"}
