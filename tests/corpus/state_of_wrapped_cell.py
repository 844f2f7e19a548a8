"""RNN(cell, stateful=True) around the user's own cell: RNN stores the state, so its line is named."""

import keras
import tensorflow as tf


class Leaky(keras.layers.Layer):
    state_size = 2
    output_size = 2

    def build(self, shape):
        self.mix = self.add_weight(shape=(2, 2), initializer="ones", name="mix")

    def call(self, x, states):
        new = 0.5 * states[0] + tf.tanh(x @ self.mix)
        return new, [new]


def build():
    layer = keras.layers.RNN(Leaky(), stateful=True)  # <- cause
    layer.build((1, 3, 2))

    def fn(earlier, later):
        layer(earlier)
        return tf.reduce_sum(layer(later))

    return {
        "fn": fn,
        "inputs": [([1, 3, 2], "float32")] * 2,
        "concrete_shapes": [[1, 3, 2]] * 2,
        "variables": layer.trainable_variables,
        "mode": "graph",
        "note": "the cell itself stores nothing",
    }


EXPECT = {
    "eager": {"earlier": "none-blocked assigned", "later": "flows", "rnn/leaky/mix": "flows"},
    "graph": {"earlier": "none-blocked assigned", "later": "flows", "rnn/leaky/mix": "flows"},
}
