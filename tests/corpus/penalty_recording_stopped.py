"""tape.stop_recording() around the features of a gradient penalty: the inner gradient is None, the next op raises."""

import tensorflow as tf


def build():
    critic = tf.Variable([0.5, -1.0, 0.25], name="critic")

    def fn(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tape.stop_recording():
                features = tf.sin(x * critic)
            score = tf.reduce_sum(2.0 * features)
        return tf.reduce_sum(tf.square(tape.gradient(score, x)))  # <- raises

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [critic],
        "mode": "eager",
        "note": "stop recording only what the penalty does not need",
    }


EXPECT = {"eager": "raises ValueError", "graph": "raises ValueError"}
