"""The same index of a TensorArray is written twice: the first value is lost, and TF1 refuses (tensorflow#17127)."""

import tensorflow as tf


def build():
    first = tf.Variable(0.3, name="first")
    last = tf.Variable(0.7, name="last")

    def fn(x):
        slot = tf.TensorArray(tf.float32, size=1, element_shape=[2], clear_after_read=False)
        slot = slot.write(0, x * first)  # <- warned

        def again(i, slot):
            return i + 1, slot.write(0, tf.sin(x) * last)  # <- raises

        return tf.reduce_sum(tf.while_loop(lambda i, _: i < 2, again, (0, slot))[1].read(0))

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [first, last],
        "mode": "tf1",
        "note": "write-once arrays in TF1",
    }


EXPECT = {
    "eager": {"x": "flows", "first": "none-disconnected result_dropped", "last": "flows"},
    "graph": {"x": "flows", "first": "zero", "last": "flows"},
    "tf1": "raises InvalidArgumentError",
}
