"""A gradient penalty through a GRU layer: on the CPU it flows; cuDNN's kernel has no second gradient."""

import keras
import tensorflow as tf


def build():
    keras.utils.set_random_seed(9)
    layer = keras.layers.GRU(2)
    layer.build((None, 3, 2))
    kernel, recurrent, _ = layer.trainable_variables

    def fn(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            score = tf.reduce_sum(layer(x))
        return tf.reduce_sum(tf.square(tape.gradient(score, x)))

    return {
        "fn": fn,
        "inputs": [([None, 3, 2], "float32")],
        "concrete_shapes": [[2, 3, 2]],
        "variables": [kernel, recurrent],
        "mode": "graph",
        "note": "unroll=True on a GPU (tensorflow#37091)",
    }


EXPECT = {
    "eager": {"x": "flows", "gru/gru_cell/kernel": "flows", "gru/gru_cell/recurrent_kernel": "flows"},
    "graph": {"x": "flows", "gru/gru_cell/kernel": "flows", "gru/gru_cell/recurrent_kernel": "flows"},
}
