"""The moments of one model's output are taken with .numpy(): the model before it learns nothing (tensorflow#31919)."""

import numpy as np
import tensorflow as tf


def build():
    maker = tf.Variable([0.5, 1.5, -0.5], name="maker")
    judge = tf.Variable([1.0, 0.5], name="judge")

    def fn(noise):
        made = noise * maker
        moments = np.array([made.numpy().mean(), made.numpy().var()], "float32")  # <- cause, raises
        return tf.reduce_sum(judge * moments)

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [maker, judge],
        "mode": "eager",
        "prebuild": False,
        "note": "numpy in the middle",
    }


EXPECT = {
    "eager": {"noise": "none-blocked left_tensorflow", "maker": "none-blocked left_tensorflow", "judge": "flows"},
    "graph": "raises AttributeError",
}
