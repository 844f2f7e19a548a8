"""A tensor from outside, read in the loop at the loop's counter: flows (tensorflow#3114)."""

import tensorflow as tf


def build():
    factor = tf.Variable([1.0, -1.0], name="factor")

    def fn(table):
        count = tf.shape(table)[0]
        rows = tf.TensorArray(tf.float32, size=count, element_shape=[2])

        def pick(i, rows):
            return i + 1, rows.write(i, tf.exp(-tf.gather(table, i)) * factor)

        return tf.reduce_sum(tf.while_loop(lambda i, _: i < count, pick, (0, rows))[1].stack())

    return {
        "fn": fn,
        "inputs": [([None, 2], "float32")],
        "concrete_shapes": [[5, 2]],
        "variables": [factor],
        "mode": "tf1",
        "note": "captured tensor, gathered",
    }


EXPECT = {
    "eager": {"table": "flows", "factor": "flows"},
    "graph": {"table": "flows", "factor": "flows"},
    "tf1": {"table": "flows", "factor": "flows"},
}
