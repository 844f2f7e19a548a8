"""x + x in a TF1 loop: the gradient is built, and its run fails (tensorflow#22504). Write 2.0 * x."""

import tensorflow as tf


def build():
    seed = tf.Variable(3.0, name="seed")

    def fn():
        def double(i, value):
            return i + 1, value + value  # <- warned

        return tf.while_loop(lambda i, _: i < 5, double, (0, tf.convert_to_tensor(seed)))[1]

    return {"fn": fn, "inputs": [], "concrete_shapes": [], "variables": [seed], "mode": "tf1", "note": "2 ** 5"}


EXPECT = {"eager": {"seed": "flows"}, "graph": {"seed": "flows"}, "tf1": "raises InvalidArgumentError"}
