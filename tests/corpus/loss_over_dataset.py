"""A loop over a tf.data.Dataset inside tf.function: the variable is used in the loop body, and flows."""

import tensorflow as tf


def build():
    centre = tf.Variable(0.5, name="centre")
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 4.0])

    def fn():
        total = 0.0
        for number in numbers:  # <- cause
            total += tf.square(number - centre)
        return total

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [centre],
        "mode": "eager",
        "note": "the cure for dataset_reduce in eager code",
    }


EXPECT = {"eager": {"centre": "flows"}, "graph": {"centre": "none-blocked not_differentiable"}}
