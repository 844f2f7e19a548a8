"""The state grows in every iteration; with shape_invariants the gradient flows (tensorflow#3359)."""

import tensorflow as tf


def build():
    mix = tf.Variable(0.8, name="mix")

    def fn(x):
        def extend(i, rows):
            return i + 1, tf.concat([rows, tf.sin(rows[-1:] * mix)], axis=0)

        shapes = (tf.TensorShape([]), tf.TensorShape([None, 3]))
        rows = tf.while_loop(lambda i, _: i < 4, extend, (0, x), shape_invariants=shapes)[1]
        return tf.reduce_sum(tf.square(rows))

    return {
        "fn": fn,
        "inputs": [([1, 3], "float32")],
        "concrete_shapes": [[1, 3]],
        "variables": [mix],
        "mode": "graph",
        "note": "one more row each time",
    }


EXPECT = {"eager": {"x": "flows", "mix": "flows"}, "graph": {"x": "flows", "mix": "flows"}}
