"""A gradient penalty through tf.scan: the loop is differentiated twice. TF2 can do it, a TF1 loop cannot."""

import tensorflow as tf


def build():
    keep = tf.Variable(0.8, name="keep")

    def fn(x):
        with tf.GradientTape() as tape:
            last = tf.scan(lambda s, push: s * keep + tf.sin(push), x, tf.constant(0.0))[-1]  # <- warned
        old = not tf.compat.v1.executing_eagerly_outside_functions()
        return tf.square(tf.gradients(last, keep)[0] if old else tape.gradient(last, keep))

    return {
        "fn": fn,
        "inputs": [([None], "float32")],
        "concrete_shapes": [[4]],
        "variables": [keep],
        "mode": "graph",
        "note": "tensorflow#2598",
    }


EXPECT = {
    "eager": {"x": "flows", "keep": "flows"},
    "graph": {"x": "flows", "keep": "flows"},
    "tf1": "raises TypeError",
}
