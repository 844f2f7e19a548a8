"""A running sum kept in a tf.Variable: no gradient passes through a variable's memory (tensorflow#30234)."""

import tensorflow as tf


def build():
    rate = tf.Variable(0.25, name="rate")
    store = tf.Variable(0.0, name="store")

    def fn(x):
        store.assign(0.0)

        def add(i):
            store.assign_add(rate * tf.reduce_mean(tf.square(x)))  # <- cause
            return (i + 1,)

        tf.while_loop(lambda i: i < 4, add, (0,))
        return tf.exp(store)

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [rate, store],
        "mode": "graph",
        "note": "assign_add in the body",
    }


EXPECT = {
    "eager": {"x": "none-blocked assigned", "rate": "none-blocked assigned", "store": "flows"},
    "graph": {"x": "none-blocked assigned", "rate": "none-blocked assigned", "store": "flows"},
}
