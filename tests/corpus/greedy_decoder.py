"""A decoder feeds its own best token back: argmax ends the path to the scores, the embedding still learns."""

import tensorflow as tf


def build():
    scores = tf.Variable([[0.9, 0.1, -0.4], [0.2, 0.7, 0.3]], name="scores")
    embedding = tf.Variable([[0.1, 0.2], [0.5, -0.3], [0.4, 0.4]], name="embedding")

    def fn(start):
        def step(t, state):
            token = tf.argmax(tf.matmul(state, scores), axis=1)  # <- cause
            return t + 1, tf.gather(embedding, token)

        return tf.reduce_sum(tf.while_loop(lambda t, _: t < 3, step, (0, start))[1])

    return {
        "fn": fn,
        "inputs": [([None, 2], "float32")],
        "concrete_shapes": [[2, 2]],
        "variables": [scores, embedding],
        "mode": "graph",
        "note": "greedy decoding",
    }


EXPECT = {
    "eager": {"start": "none-blocked integer_dtype", "scores": "none-blocked integer_dtype", "embedding": "flows"},
    "graph": {"start": "zero-blocked integer_dtype", "scores": "zero-blocked integer_dtype", "embedding": "flows"},
}
