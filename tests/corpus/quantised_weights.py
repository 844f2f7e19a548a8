"""fake_quant rounds forward and passes the gradient on: quantisation-aware training works."""

import tensorflow as tf


def build():
    weight = tf.Variable([0.31, -0.47], name="weight")

    def fn(x):
        coarse = tf.quantization.fake_quant_with_min_max_args(weight, -1.0, 1.0, num_bits=4)
        return tf.reduce_sum(tf.square(x * coarse))

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [weight],
        "mode": "graph",
        "note": "unlike a cast to int8",
    }


EXPECT = {"eager": {"x": "flows", "weight": "flows"}, "graph": {"x": "flows", "weight": "flows"}}
