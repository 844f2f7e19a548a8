"""A Keras layer that writes its memory with assign and reads it back: what writes is never trained (keras#16128)."""

import keras
import tensorflow as tf


class Notebook(keras.layers.Layer):
    def build(self, shape):
        self.pen = self.add_weight(shape=(shape[-1], 3), name="pen")
        self.eye = self.add_weight(shape=(3,), initializer="ones", name="eye")
        self.page = self.add_weight(shape=(3,), initializer="zeros", trainable=False, name="page")

    def call(self, x):
        self.page.assign(tf.reduce_sum(tf.matmul(x, self.pen), axis=0))  # <- cause
        return tf.reduce_sum(self.page * self.eye)


def build():
    keras.utils.set_random_seed(1)
    layer = Notebook()
    layer.build((None, 2))
    return {
        "fn": lambda x: layer(x),
        "inputs": [([4, 2], "float32")],
        "concrete_shapes": [[4, 2]],
        "variables": lambda: layer.trainable_variables,
        "mode": "graph",
        "note": "memory by assign",
    }


EXPECT = {
    "eager": {"x": "none-blocked assigned", "notebook/pen": "none-blocked assigned", "notebook/eye": "flows"},
    "graph": {"x": "none-blocked assigned", "notebook/pen": "none-blocked assigned", "notebook/eye": "flows"},
}
