"""Dataset.reduce hides the variable inside a function of the input pipeline: no gradient, also not in eager code."""

import tensorflow as tf


def build():
    centre = tf.Variable(2.0, name="centre")
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 4.0, 6.0])

    def fn():
        return numbers.reduce(0.0, lambda total, n: total + tf.abs(n - centre))  # <- cause

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [centre],
        "mode": "eager",
        "note": "loop over the dataset instead (tensorflow#36306)",
    }


EXPECT = {
    "eager": {"centre": "none-blocked not_differentiable"},
    "graph": {"centre": "none-blocked not_differentiable"},
}
