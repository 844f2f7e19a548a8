"""A weight read only in the inner of two TF1 loops: once an error (tensorflow#593), today it flows."""

import tensorflow as tf


def build():
    weight = tf.Variable([0.4, -0.3], name="weight")

    def fn(rows, columns):
        def outer(r, total):
            row = rows[r]

            def inner(c, part):
                return c + 1, part + tf.sin(row * columns[c]) * tf.reduce_sum(weight)

            part = tf.while_loop(lambda c, _: c < tf.shape(columns)[0], inner, (0, 0.0))[1]
            return r + 1, total + tf.square(part)

        return tf.while_loop(lambda r, _: r < tf.shape(rows)[0], outer, (0, 0.0))[1]

    return {
        "fn": fn,
        "inputs": [([None], "float32"), ([None], "float32")],
        "concrete_shapes": [[3], [4]],
        "variables": [weight],
        "mode": "tf1",
        "note": "while in while",
    }


EXPECT = {
    "eager": {"rows": "flows", "columns": "flows", "weight": "flows"},
    "graph": {"rows": "flows", "columns": "flows", "weight": "flows"},
    "tf1": {"rows": "flows", "columns": "flows", "weight": "flows"},
}
