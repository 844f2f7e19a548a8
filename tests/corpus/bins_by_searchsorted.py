"""Which bin a value falls into: searchsorted gives an index, neither value nor edges learn."""

import tensorflow as tf


def build():
    edges = tf.Variable([-0.5, 0.0, 0.5], name="edges")
    heights = tf.Variable([0.1, 0.2, 0.3, 0.4], name="heights")

    def fn(x):
        place = tf.searchsorted(edges, x)  # <- cause
        return tf.reduce_sum(tf.gather(heights, place))

    return {
        "fn": fn,
        "inputs": [([5], "float32")],
        "concrete_shapes": [[5]],
        "variables": [edges, heights],
        "mode": "graph",
        "note": "a piecewise linear function",
    }


EXPECT = {
    "eager": {"x": "none-blocked integer_dtype", "edges": "none-blocked integer_dtype", "heights": "flows"},
    "graph": {"x": "none-blocked integer_dtype", "edges": "none-blocked integer_dtype", "heights": "flows"},
}
