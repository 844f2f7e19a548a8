"""float(loss) makes a Python number, which knows nothing of the variables. AutoGraph makes a cast of it: it flows."""

import tensorflow as tf


def build():
    centre = tf.Variable(1.5, name="centre")
    penalty = tf.Variable(0.3, name="penalty")

    def fn(x):
        total = 0.0
        for row in range(2):
            total += float(tf.reduce_mean(tf.square(x[row] - centre)))  # <- cause in eager
        return total + tf.square(penalty)

    return {
        "fn": fn,
        "inputs": [([2, 3], "float32")],
        "concrete_shapes": [[2, 3]],
        "variables": [centre, penalty],
        "mode": "eager",
        "prebuild": False,
        "note": "add up tensors, and log the float apart",
    }


EXPECT = {
    "eager": {"x": "none-blocked left_tensorflow", "centre": "none-blocked left_tensorflow", "penalty": "flows"},
    "graph": {"x": "flows", "centre": "flows", "penalty": "flows"},
}
