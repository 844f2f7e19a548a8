"""10 is an integer, 10.0 is not: integer inputs and variables have no gradient, and TensorFlow is silent about it."""

import tensorflow as tf


def build():
    steps = tf.Variable(4, name="steps")
    size = tf.Variable(0.5, name="size")

    def fn(start):
        return tf.cast(start + steps, tf.float32) * size

    return {
        "fn": fn,
        "inputs": [([], "int32")],
        "concrete_shapes": [[]],
        "values": [3],
        "variables": [steps, size],
        "mode": "eager",
        "note": "an int32 variable",
    }


EXPECT = {
    "eager": {"start": "not-trainable not_trainable", "steps": "not-trainable not_trainable", "size": "flows"},
    "graph": {"start": "not-trainable not_trainable", "steps": "not-trainable not_trainable", "size": "flows"},
}
