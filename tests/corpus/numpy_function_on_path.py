"""tf.numpy_function is not differentiable, and says nothing about it."""

import numpy as np
import tensorflow as tf


def build():
    width = tf.Variable(0.4, name="width")

    def fn(x):
        bent = tf.numpy_function(np.arctan, [x * width], tf.float32)  # <- cause
        return tf.reduce_sum(tf.ensure_shape(bent, [4]))

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "variables": [width],
        "mode": "graph",
        "note": "arctan by numpy",
    }


EXPECT = {
    "eager": {"x": "none-blocked left_tensorflow", "width": "none-blocked left_tensorflow"},
    "graph": {"x": "none-blocked left_tensorflow", "width": "none-blocked left_tensorflow"},
}
