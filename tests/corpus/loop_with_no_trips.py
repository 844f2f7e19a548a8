"""The loop's length comes out as zero: the weight inside it is never used, and a graph says 0, not None."""

import tensorflow as tf


def build():
    inside = tf.Variable(0.5, name="inside")

    def fn(x, count):
        for _ in tf.range(count - 2):
            x = tf.sin(x * inside)
        return tf.reduce_sum(tf.square(x))

    return {
        "fn": fn,
        "inputs": [([3], "float32"), ([], "int32")],
        "concrete_shapes": [[3], []],
        "values": [None, 2],
        "variables": [inside],
        "mode": "graph",
        "note": "an off-by-one in the length",
    }


EXPECT = {
    "eager": {"x": "flows", "count": "not-trainable not_trainable", "inside": "none-disconnected never_read"},
    "graph": {"x": "flows", "count": "not-trainable not_trainable", "inside": "zero"},
}
