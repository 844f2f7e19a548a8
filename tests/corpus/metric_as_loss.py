"""A Keras metric returned as loss: its value lives in variables that update_state assigns."""

import keras
import tensorflow as tf


def build():
    weight = tf.Variable(0.5, name="weight")
    metric = keras.metrics.Mean()

    def fn(x):
        metric.reset_state()
        metric.update_state(tf.square(x * weight))  # <- cause
        return metric.result()

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "variables": [weight],
        "mode": "graph",
        "note": "return the loss, and give the metric a copy",
    }


EXPECT = {
    "eager": {"x": "none-blocked assigned", "weight": "none-blocked assigned"},
    "graph": {"x": "none-blocked assigned", "weight": "none-blocked assigned"},
}
