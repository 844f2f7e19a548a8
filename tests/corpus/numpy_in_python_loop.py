"""Each step of a Python loop goes through .numpy(): only what is added after the last one is trained."""

import tensorflow as tf


def build():
    rate = tf.Variable(0.5, name="rate")
    readout = tf.Variable(2.0, name="readout")

    def fn(x):
        state = x
        for _ in range(3):
            state = tf.constant((state * rate).numpy() + 1.0)  # <- cause, raises
        return tf.reduce_sum(state * readout)

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [rate, readout],
        "mode": "eager",
        "prebuild": False,
        "note": "state + 1.0 needs no numpy",
    }


EXPECT = {
    "eager": {"x": "none-blocked left_tensorflow", "rate": "none-blocked left_tensorflow", "readout": "flows"},
    "graph": "raises AttributeError",
}
