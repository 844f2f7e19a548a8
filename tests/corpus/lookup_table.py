"""A value is looked up in a table by its rounded key: tables know integers and strings only."""

import tensorflow as tf


def build():
    weight = tf.Variable(1.6, name="weight")
    price = tf.Variable(0.5, name="price")
    initial = tf.lookup.KeyValueTensorInitializer(tf.constant([0, 1, 2], tf.int64), [5.0, 6.0, 7.0])
    table = tf.lookup.StaticHashTable(initial, default_value=1.0)

    def fn(x):
        key = tf.cast(x * weight, tf.int64)  # <- cause
        return tf.reduce_sum(table.lookup(key)) * price

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "values": [[0.1, 0.9]],
        "variables": [weight, price],
        "mode": "graph",
        "note": "an embedding can be trained",
    }


EXPECT = {
    "eager": {"x": "none-blocked integer_dtype", "weight": "none-blocked integer_dtype", "price": "flows"},
    "graph": {"x": "none-blocked integer_dtype", "weight": "none-blocked integer_dtype", "price": "flows"},
}
