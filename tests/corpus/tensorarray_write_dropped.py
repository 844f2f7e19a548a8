"""TensorArray.write returns the new array; here the result is thrown away, and a graph keeps an array of zeros."""

import tensorflow as tf


def build():
    decay = tf.Variable(0.9, name="decay")

    def fn(x):
        history = tf.TensorArray(tf.float32, size=4, element_shape=[])

        def step(t, history, level):
            level = level * decay
            history.write(t, level)  # <- cause
            return t + 1, history, level

        history = tf.while_loop(lambda t, *_: t < 4, step, (0, history, x))[1]
        return tf.reduce_sum(tf.square(history.stack()))

    return {
        "fn": fn,
        "inputs": [([], "float32")],
        "concrete_shapes": [[]],
        "variables": [decay],
        "mode": "graph",
        "note": "works in eager code, where write changes the array",
    }


EXPECT = {
    "eager": {"x": "flows", "decay": "flows"},
    "graph": {"x": "zero-blocked result_dropped", "decay": "zero-blocked result_dropped"},
}
