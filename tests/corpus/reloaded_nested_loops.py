"""The same with a loop in a loop: the variable of the inner loop gets exactly zero, and nothing says so."""

import tempfile

import tensorflow as tf


class Saved(tf.Module):
    def __init__(self):
        super().__init__()
        self.rate = tf.Variable(0.3, name="rate")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def run(self, x):
        def inner(state):
            return tf.while_loop(lambda j, _: j < 2, lambda j, s: (j + 1, tf.sin(s * self.rate) + x), (0, state))[1]

        return tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, inner(s)), (0, x))[1]


def build():
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Saved(), folder)
        model = tf.saved_model.load(folder)

    def fn(x):
        return tf.reduce_sum(model.run(x))

    return {
        "fn": fn,
        "inputs": [([None], "float32")],
        "concrete_shapes": [[2]],
        "variables": [model.rate],
        "mode": "graph",
        "note": "differentiate the model that was built, not the reloaded one",
    }


EXPECT = {
    "eager": {"x": "flows", "rate": "zero-blocked lost_handle_data"},
    "graph": {"x": "flows", "rate": "zero-blocked lost_handle_data"},
}
