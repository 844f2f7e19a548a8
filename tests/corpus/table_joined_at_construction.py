"""Two tables are joined once, when the model is made: what is used later is a copy, and nothing reaches the parts."""

import tensorflow as tf


def build():
    known = tf.Variable(tf.fill([3, 2], 0.5), name="known")
    fresh = tf.Variable(tf.fill([1, 2], -0.5), name="fresh")
    scale = tf.Variable(2.0, name="scale")
    table = tf.concat([known, fresh], axis=0)  # <- cause

    def fn(ids):
        return tf.reduce_mean(tf.square(tf.gather(table, ids))) * scale

    return {
        "fn": fn,
        "inputs": [([None], "int32")],
        "concrete_shapes": [[4]],
        "variables": [known, fresh, scale],
        "mode": "graph",
        "note": "join them in the call (tensorflow#37726)",
    }


EXPECT = {
    "eager": {
        "ids": "not-trainable not_trainable",
        "known": "none-blocked outside_tape",
        "fresh": "none-blocked outside_tape",
        "scale": "flows",
    },
    "graph": {
        "ids": "not-trainable not_trainable",
        "known": "none-blocked outside_tape",
        "fresh": "none-blocked outside_tape",
        "scale": "flows",
    },
}
