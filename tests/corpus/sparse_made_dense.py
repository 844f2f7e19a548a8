"""tf.sparse.to_dense had no gradient once (tensorflow#6391); it has one now."""

import tensorflow as tf


def build():
    links = tf.Variable([0.5, 1.5, -1.0], name="links")

    def fn(x):
        net = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], tf.identity(links), [3, 3])
        return tf.reduce_sum(tf.matmul(tf.sparse.to_dense(tf.sparse.reorder(net)), x))

    return {
        "fn": fn,
        "inputs": [([3, 2], "float32")],
        "concrete_shapes": [[3, 2]],
        "variables": [links],
        "mode": "graph",
        "note": "three links",
    }


EXPECT = {"eager": {"x": "flows", "links": "flows"}, "graph": {"x": "flows", "links": "flows"}}
