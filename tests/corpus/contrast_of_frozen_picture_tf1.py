"""An op without a registered gradient behind a frozen variable: tf.gradients, asked for all variables, raises."""

import tensorflow as tf


def build():
    scale = tf.Variable(0.5, name="scale")
    picture = tf.Variable(tf.ones([1, 4, 4, 3]), trainable=False, name="picture")

    def fn(x):
        bright = tf.raw_ops.AdjustContrastv2(images=picture, contrast_factor=tf.constant(2.0))  # <- warned, raises
        return tf.reduce_sum(x) * scale + tf.reduce_mean(bright)

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [scale, picture],
        "mode": "tf1",
        "note": "ask for the trainable variables only; a tape does not watch the frozen one",
    }


EXPECT = {
    "eager": {"x": "flows", "scale": "flows", "picture": "not-trainable not_trainable"},
    "graph": {"x": "flows", "scale": "flows", "picture": "not-trainable not_trainable"},
    "tf1": "raises LookupError",
}
