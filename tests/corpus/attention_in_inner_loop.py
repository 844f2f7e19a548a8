"""A decoder loop around an attention loop around soft weights: three weights, all flow."""

import tensorflow as tf


def build():
    query = tf.Variable([[0.5, 0.1], [-0.2, 0.3]], name="query")
    focus = tf.Variable(1.5, name="focus")

    def fn(memory):
        def decode(t, state):
            wanted = tf.linalg.matvec(query, state)

            def attend(k, read):
                share = tf.sigmoid(focus * tf.reduce_sum(memory[k] * wanted))
                return k + 1, read + share * memory[k]

            return t + 1, tf.tanh(tf.while_loop(lambda k, _: k < 3, attend, (0, tf.zeros([2])))[1] + state)

        return tf.reduce_sum(tf.while_loop(lambda t, _: t < 2, decode, (0, tf.ones([2])))[1])

    return {
        "fn": fn,
        "inputs": [([3, 2], "float32")],
        "concrete_shapes": [[3, 2]],
        "variables": [query, focus],
        "mode": "graph",
        "note": "a loop in a loop, as it should be",
    }


EXPECT = {
    "eager": {"memory": "flows", "query": "flows", "focus": "flows"},
    "graph": {"memory": "flows", "query": "flows", "focus": "flows"},
    "tf1": {"memory": "flows", "query": "flows", "focus": "flows"},
}
