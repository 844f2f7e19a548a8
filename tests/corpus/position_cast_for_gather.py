"""A learnt position becomes an index: gather passes a gradient to the table, never to the index."""

import tensorflow as tf


def build():
    place = tf.Variable([0.4, 2.3], name="place")
    table = tf.Variable([0.5, 1.5, -1.0], name="table")

    def fn():
        def look(i, total):
            index = tf.cast(place[i], tf.int32)  # <- cause
            return i + 1, total + tf.gather(table, index)

        return tf.while_loop(lambda i, _: i < 2, look, (0, 0.0))[1]

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [place, table],
        "mode": "graph",
        "note": "interpolate between neighbours",
    }


EXPECT = {
    "eager": {"place": "none-blocked integer_dtype", "table": "flows"},
    "graph": {"place": "zero-blocked integer_dtype", "table": "flows"},
}
