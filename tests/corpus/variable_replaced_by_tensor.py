"""`w = w - rate * step` makes a tensor of the variable; what is used from then on is not trained any more."""

import tensorflow as tf


def build():
    slope = tf.Variable(0.5, name="slope")
    offset = tf.Variable(0.1, name="offset")
    model = {"slope": slope - 0.1 * tf.constant(2.0), "offset": offset}  # <- cause

    def fn(x):
        return tf.reduce_mean(tf.square(model["slope"] * x + model["offset"]))

    return {
        "fn": fn,
        "inputs": [([None], "float32")],
        "concrete_shapes": [[4]],
        "variables": [slope, offset],
        "mode": "eager",
        "note": "slope.assign_sub(...)",
    }


EXPECT = {
    "eager": {"x": "flows", "slope": "none-blocked outside_tape", "offset": "flows"},
    "graph": {"x": "flows", "slope": "none-blocked outside_tape", "offset": "flows"},
}
