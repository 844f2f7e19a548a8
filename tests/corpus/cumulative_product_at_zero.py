"""cumprod at a zero: the gradient is finite and wrong, without a word (tensorflow#119430)."""

import tensorflow as tf


def build():
    def fn(x):
        return tf.reduce_sum(tf.math.cumprod(x))

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "values": [[2.0, 0.0, 3.0, 1.0]],
        "variables": [],
        "mode": "eager",
        "note": "only finite differences find it",
    }


EXPECT = {"eager": {"x": "flows"}, "graph": {"x": "flows"}}
