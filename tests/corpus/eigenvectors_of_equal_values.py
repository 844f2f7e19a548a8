"""Eigenvectors of a matrix with two equal eigenvalues: not smooth there, and TensorFlow says zero."""

import tensorflow as tf


def build():
    spread = tf.Variable([1.0, 1.0], name="spread")

    def fn(x):
        _, vectors = tf.linalg.eigh(tf.linalg.diag(spread))
        return tf.reduce_sum(tf.linalg.matvec(vectors, x))

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [spread],
        "mode": "graph",
        "note": "use the projector, not the vectors",
    }


EXPECT = {
    "eager": {"x": "flows", "spread": "zero"},
    "graph": {"x": "flows", "spread": "zero"},
}
