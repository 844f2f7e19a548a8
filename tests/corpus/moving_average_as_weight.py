"""The moving average of a weight is used in its place: it follows by assign, and no gradient comes back."""

import tensorflow as tf


def build():
    weight = tf.Variable(0.5, name="weight")
    average = tf.Variable(0.0, name="average")

    def fn(x):
        average.assign(0.9 * average + 0.1 * weight)  # <- cause
        return tf.reduce_mean(tf.square(x * average))

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "variables": [weight, average],
        "mode": "graph",
        "note": "use the average for evaluation only",
    }


EXPECT = {
    "eager": {"x": "flows", "weight": "none-blocked assigned", "average": "flows"},
    "graph": {"x": "flows", "weight": "none-blocked assigned", "average": "flows"},
}
