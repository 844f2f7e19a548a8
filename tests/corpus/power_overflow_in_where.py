"""The branch not taken overflows, and zero times infinity is NaN: tf.where does not shield its branches."""

import tensorflow as tf


def build():
    level = tf.Variable([3.0, 6.0], name="level")

    def fn():
        huge = tf.pow(5.0, tf.exp(level))  # <- cause
        return tf.reduce_sum(tf.where(level < 9.0, 2.0 * level, huge))

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [level],
        "mode": "eager",
        "note": "clip the argument before the branch as well (tensorflow#38349)",
    }


EXPECT = {"eager": {"level": "nan where_trap"}, "graph": {"level": "nan where_trap"}}
