"""Noise times a width plus a mean, in a loop: the draw itself needs no gradient, mean and width get one."""

import tensorflow as tf


def build():
    mean = tf.Variable([0.5, -0.5], name="mean")
    width = tf.Variable([0.1, 0.2], name="width")

    def fn():
        def draw(i, total):
            noise = tf.random.stateless_normal([2], [3, i])
            return i + 1, total + tf.reduce_sum(tf.square(mean + width * noise))

        return tf.while_loop(lambda i, _: i < 4, draw, (0, 0.0))[1]

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [mean, width],
        "mode": "graph",
        "note": "the reparameterisation trick",
    }


EXPECT = {"eager": {"mean": "flows", "width": "flows"}, "graph": {"mean": "flows", "width": "flows"}}
