"""A token drawn by tf.random.categorical in a loop: drawing cuts the path to the logits."""

import tensorflow as tf


def build():
    logits = tf.Variable([[2.0, 0.1, -1.0]], name="logits")
    reward = tf.Variable([0.5, 1.0, 2.0], name="reward")

    def fn():
        def draw(i, total):
            token = tf.random.stateless_categorical(logits, 1, [1, i])[0, 0]  # <- cause
            return i + 1, total + reward[token]

        return tf.while_loop(lambda i, _: i < 3, draw, (0, 0.0))[1]

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [logits, reward],
        "mode": "graph",
        "note": "Gumbel softmax, or the score function",
    }


EXPECT = {
    "eager": {"logits": "none-blocked integer_dtype", "reward": "flows"},
    "graph": {"logits": "zero-blocked integer_dtype", "reward": "flows"},
}
