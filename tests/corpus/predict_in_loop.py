"""model.predict returns numpy arrays: the model is not trained by what is computed from them. Call the model."""

import keras
import tensorflow as tf


def build():
    keras.utils.set_random_seed(10)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2, use_bias=False, name="mover")])
    weight = tf.Variable(0.5, name="weight")

    def fn(x):
        for _ in range(2):
            x = model.predict(x, verbose=0) * weight  # <- cause
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([1, 2], "float32")],
        "concrete_shapes": [[1, 2]],
        "variables": [*model.trainable_variables, weight],
        "mode": "eager",
        "prebuild": False,
        "note": "model(x) instead",
    }


EXPECT = {
    "eager": {
        "x": "none-blocked left_tensorflow",
        "sequential/mover/kernel": "none-blocked left_tensorflow",
        "weight": "flows",
    },
}
