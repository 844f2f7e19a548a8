"""A Dense layer made in the loop body: new weights every time, none of them trained; tf.function refuses."""

import keras
import tensorflow as tf


def build():
    keras.utils.set_random_seed(4)
    gain = tf.Variable(0.9, name="gain")

    def fn(x):
        for _ in range(3):
            x = keras.layers.Dense(3, activation="tanh")(x * gain)  # <- warned in eager, raises
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([2, 3], "float32")],
        "concrete_shapes": [[2, 3]],
        "variables": [gain],
        "mode": "eager",
        "prebuild": False,
        "note": "make the layer once, outside (tensorflow#48878)",
    }


EXPECT = {"eager": {"x": "flows", "gain": "flows"}, "graph": "raises ValueError"}
