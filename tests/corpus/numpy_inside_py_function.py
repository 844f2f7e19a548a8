"""tf.py_function can be differentiated, but not what numpy does inside: zeros in a graph, an error in eager code."""

import numpy as np
import tensorflow as tf


def build():
    width = tf.Variable(0.4, name="width")

    def bend(value):
        return np.arctan(value.numpy())  # <- cause

    def fn(x):
        bent = tf.py_function(bend, [x * width], tf.float32)
        return tf.reduce_sum(tf.ensure_shape(bent, [4]))

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "variables": [width],
        "mode": "graph",
        "note": "looks differentiable, is not",
    }


EXPECT = {
    "eager": "raises InvalidArgumentError",
    "graph": {"x": "zero-blocked left_tensorflow", "width": "zero-blocked left_tensorflow"},
}
