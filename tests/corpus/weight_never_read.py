"""A recurrent cell makes a weight and never reads it: Keras warns, and the weight never changes."""

import keras
import tensorflow as tf


class Cell(keras.layers.Layer):
    state_size = output_size = 2

    def build(self, shape):
        self.inward = self.add_weight(shape=(shape[-1], 2), name="inward")
        self.around = self.add_weight(shape=(2, 2), name="around")
        self.forgotten = self.add_weight(shape=(2, 2), name="forgotten")  # <- cause of rnn/cell/forgotten
        self.built = True

    def call(self, x, states):
        state = tf.sigmoid(tf.matmul(x, self.inward) - tf.matmul(states[0], self.around))
        return state, [state]


def build():
    keras.utils.set_random_seed(3)
    layer = keras.layers.RNN(Cell())
    layer.build((None, 3, 1))
    return {
        "fn": lambda x: tf.reduce_sum(layer(x)),
        "inputs": [([None, 3, 1], "float32")],
        "concrete_shapes": [[2, 3, 1]],
        "variables": lambda: layer.trainable_variables,
        "mode": "graph",
        "note": "three weights, two used",
    }


EXPECT = {
    "eager": {
        "x": "flows",
        "rnn/cell/inward": "flows",
        "rnn/cell/around": "flows",
        "rnn/cell/forgotten": "none-disconnected never_read",
    },
    "graph": {
        "x": "flows",
        "rnn/cell/inward": "flows",
        "rnn/cell/around": "flows",
        "rnn/cell/forgotten": "none-disconnected never_read",
    },
}
