"""map_fn over the rows of a ragged tensor: once a LookupError (tensorflow#42189), today it flows."""

import tensorflow as tf


def build():
    stretch = tf.Variable([0.5], name="stretch")

    def fn(x):
        rows = tf.RaggedTensor.from_row_lengths(tf.exp(x * stretch), [1, 3, 2])
        return tf.reduce_sum(tf.map_fn(tf.reduce_max, rows, fn_output_signature=tf.float32))

    return {
        "fn": fn,
        "inputs": [([6], "float32")],
        "concrete_shapes": [[6]],
        "variables": [stretch],
        "mode": "graph",
        "note": "rows of one, three and two",
    }


EXPECT = {"eager": {"x": "flows", "stretch": "flows"}, "graph": {"x": "flows", "stretch": "flows"}}
