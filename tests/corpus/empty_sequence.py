"""A batch with a sequence of length 0: None in eager code, zero in a graph, an error in TF1's backward pass."""

import tensorflow as tf


def build():
    touch = tf.Variable(0.2, name="touch")

    def fn(x):
        count = tf.shape(x)[0]
        parts = tf.TensorArray(tf.float32, size=count).unstack(x)  # <- raises
        done = tf.TensorArray(tf.float32, size=count)

        def step(i, done):
            return i + 1, done.write(i, tf.sin(parts.read(i) + touch))

        return tf.reduce_sum(tf.while_loop(lambda i, _: i < count, step, (0, done))[1].stack())

    return {
        "fn": fn,
        "inputs": [([None, 3], "float32")],
        "concrete_shapes": [[0, 3]],
        "variables": [touch],
        "mode": "tf1",
        "note": "drop empty sequences",
    }


EXPECT = {
    "eager": {"x": "none-disconnected shape_only", "touch": "none-disconnected never_read"},
    "graph": {"x": "zero", "touch": "zero"},
    "tf1": "raises UnimplementedError",
}
