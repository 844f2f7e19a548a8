"""The model is called in Dataset.map: the pipeline's functions are not differentiated."""

import tensorflow as tf


def build():
    weight = tf.Variable(0.5, name="weight")
    head = tf.Variable(2.0, name="head")
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).map(lambda n: n * weight)  # <- cause

    def fn():
        total = 0.0
        for number in numbers:
            total += number * head
        return total

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [weight, head],
        "mode": "eager",
        "note": "map only what is not trained",
    }


EXPECT = {"eager": {"weight": "none-blocked outside_tape", "head": "flows"}}
