"""tf.boolean_mask gathers: the values flow, the scores that made the mask do not."""

import tensorflow as tf


def build():
    score = tf.Variable([0.9, -0.2, 0.4, -0.7], name="score")

    def fn(x):
        chosen = tf.boolean_mask(x, score > 0.0)  # <- cause
        return tf.reduce_mean(tf.exp(chosen))

    return {
        "fn": fn,
        "inputs": [([4, 2], "float32")],
        "concrete_shapes": [[4, 2]],
        "variables": [score],
        "mode": "graph",
        "note": "multiply by a soft score instead",
    }


EXPECT = {
    "eager": {"x": "flows", "score": "none-blocked integer_dtype"},
    "graph": {"x": "flows", "score": "none-blocked integer_dtype"},
}
