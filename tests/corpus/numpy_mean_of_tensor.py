"""np.max takes a tensor without complaint and gives an array back: None in eager code, an error in a graph."""

import numpy as np
import tensorflow as tf


def build():
    grid = tf.Variable([[0.5, 2.0, 1.0], [1.5, -1.0, 0.0]], name="grid")

    def fn():
        tops = np.max(tf.exp(grid), axis=1)  # <- cause, raises
        return tf.reduce_sum(tf.math.log(tops))

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [grid],
        "mode": "eager",
        "prebuild": False,
        "note": "np.max on a tensor",
    }


EXPECT = {"eager": {"grid": "none-blocked left_tensorflow"}, "graph": "raises NotImplementedError"}
