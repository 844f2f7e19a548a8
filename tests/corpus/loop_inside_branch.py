"""A loop in one branch, a variable in the other: None in eager, a made-up zero in a graph."""

import tensorflow as tf


def build():
    used = tf.Variable([0.3, 0.6], name="used")
    spare = tf.Variable([1.0, 2.0], name="spare")

    def fn(x, choice):
        def repeat():
            return tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, s + tf.reduce_sum(x * used)), (0, 0.0))[1]

        return tf.cond(choice > 1, repeat, lambda: tf.reduce_sum(x * spare))

    return {
        "fn": fn,
        "inputs": [([2], "float32"), ([], "int32")],
        "concrete_shapes": [[2], []],
        "values": [None, 2],
        "variables": [used, spare],
        "mode": "tf1",
        "note": "the branch with spare is not taken",
    }


EXPECT = {
    "eager": {
        "x": "flows",
        "choice": "not-trainable not_trainable",
        "used": "flows",
        "spare": "none-disconnected never_read",
    },
    "graph": {"x": "flows", "choice": "not-trainable not_trainable", "used": "flows", "spare": "zero"},
    "tf1": {"x": "flows", "choice": "not-trainable not_trainable", "used": "flows", "spare": "zero"},
}
