"""Rows of an embedding, outside a loop (sparse gradient) and in one (dense): both flow."""

import tensorflow as tf


def build():
    words = tf.Variable(tf.fill([6, 2], 0.5), name="words")
    places = tf.Variable(tf.fill([6, 2], 0.1), name="places")

    def fn(ids):
        def add(i, total):
            return i + 1, total + tf.reduce_sum(tf.sin(tf.gather(places, ids[i])))

        start = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(words, ids)))
        return tf.while_loop(lambda i, _: i < tf.shape(ids)[0], add, (0, start))[1]

    return {
        "fn": fn,
        "inputs": [([None], "int32")],
        "concrete_shapes": [[5]],
        "variables": [words, places],
        "mode": "graph",
        "note": "IndexedSlices",
    }


EXPECT = {
    "eager": {"ids": "not-trainable not_trainable", "words": "flows", "places": "flows"},
    "graph": {"ids": "not-trainable not_trainable", "words": "flows", "places": "flows"},
}
