"""tf.foldl and tf.foldr: loops over the first axis, both flow."""

import tensorflow as tf


def build():
    forward = tf.Variable(0.7, name="forward")
    backward = tf.Variable(0.4, name="backward")

    def fn(x):
        left = tf.foldl(lambda s, row: tf.sin(s * forward) + row, x)
        right = tf.foldr(lambda s, row: tf.cos(s * backward) + row, x)
        return tf.reduce_sum(left * right)

    return {
        "fn": fn,
        "inputs": [([None, 2], "float32")],
        "concrete_shapes": [[3, 2]],
        "variables": [forward, backward],
        "mode": "graph",
        "note": "two loops, one after the other",
    }


EXPECT = {
    "eager": {"x": "flows", "forward": "flows", "backward": "flows"},
    "graph": {"x": "flows", "forward": "flows", "backward": "flows"},
    "tf1": {"x": "flows", "forward": "flows", "backward": "flows"},
}
