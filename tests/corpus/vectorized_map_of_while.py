"""vectorized_map of a while loop: its gradient cannot be built inside tf.function (tensorflow#46559)."""

import tensorflow as tf


def build():
    pull = tf.Variable(0.3, name="pull")

    def fn(x):
        def settle(row):
            return tf.while_loop(lambda i, _: i < 4, lambda i, s: (i + 1, tf.sin(s * pull) + row), (0, row))[1]

        return tf.reduce_mean(tf.vectorized_map(settle, x))  # <- warned

    return {
        "fn": fn,
        "inputs": [([None, 3], "float32")],
        "concrete_shapes": [[2, 3]],
        "variables": [pull],
        "mode": "graph",
        "note": "use tf.map_fn",
    }


EXPECT = {"eager": {"x": "flows", "pull": "flows"}, "graph": "raises ValueError"}
