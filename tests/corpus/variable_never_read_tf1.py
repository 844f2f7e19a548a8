"""A TF1 variable that no op uses: TensorFlow puts a first read beside it, which is no use of it."""

import tensorflow as tf


def build():
    used = tf.compat.v1.get_variable("used", initializer=tf.constant(0.5), use_resource=True)
    spare = tf.compat.v1.get_variable("spare", initializer=tf.constant(2.0), use_resource=True)  # <- cause of spare

    def fn(x):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y) * used), (0, tf.reduce_sum(x)))[1]

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [used, spare],
        "mode": "tf1",
        "note": "use it, or do not make it",
    }


EXPECT = {
    "graph": {"x": "flows", "used": "flows", "spare": "none-disconnected never_read"},
    "tf1": {"x": "flows", "used": "flows", "spare": "none-disconnected never_read"},
}
