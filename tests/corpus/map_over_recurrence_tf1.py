"""map_fn over a hand-written recurrence, a while loop in a while loop: an assertion in TF 1.5 (tensorflow#17555)."""

import tensorflow as tf


def build():
    inward = tf.Variable(tf.fill([3, 2], 0.2), name="inward")
    around = tf.Variable([[0.3, -0.1], [0.2, 0.4]], name="around")

    def read(sequence):
        def step(t, state):
            return t + 1, tf.sigmoid(tf.matmul(sequence[t][None], inward) + tf.matmul(state, around))

        return tf.while_loop(lambda t, _: t < tf.shape(sequence)[0], step, (0, tf.zeros([1, 2])))[1]

    def fn(batch):
        return tf.reduce_mean(tf.square(tf.map_fn(read, batch, fn_output_signature=tf.float32)))

    return {
        "fn": fn,
        "inputs": [([None, None, 3], "float32")],
        "concrete_shapes": [[2, 5, 3]],
        "variables": [inward, around],
        "mode": "tf1",
        "note": "recurrence inside map_fn",
    }


EXPECT = {
    "eager": {"batch": "flows", "inward": "flows", "around": "flows"},
    "graph": {"batch": "flows", "inward": "flows", "around": "flows"},
    "tf1": {"batch": "flows", "inward": "flows", "around": "flows"},
}
