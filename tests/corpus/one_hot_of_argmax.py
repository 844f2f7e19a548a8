"""one_hot(argmax(...)) as a hard choice: the choice has no gradient, what is chosen has."""

import tensorflow as tf


def build():
    vote = tf.Variable([0.2, 0.9, 0.4], name="vote")
    option = tf.Variable([1.0, 2.0, 3.0], name="option")

    def fn():
        hard = tf.one_hot(tf.argmax(vote), 3)  # <- cause
        return tf.reduce_sum(hard * option)

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [vote, option],
        "mode": "graph",
        "note": "tf.nn.softmax(vote / temperature)",
    }


EXPECT = {
    "eager": {"vote": "none-blocked integer_dtype", "option": "flows"},
    "graph": {"vote": "none-blocked integer_dtype", "option": "flows"},
}
