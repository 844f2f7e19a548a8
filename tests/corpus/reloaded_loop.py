"""A SavedModel with one while loop, loaded again: it can be trained (tensorflow#34211)."""

import tempfile

import tensorflow as tf


class Saved(tf.Module):
    def __init__(self):
        super().__init__()
        self.rate = tf.Variable(0.3, name="rate")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def run(self, x):
        return tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, tf.sin(s * self.rate) + x), (0, x))[1]


def build():
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Saved(), folder)
        model = tf.saved_model.load(folder)
    return {
        "fn": lambda x: tf.reduce_sum(model.run(x)),
        "inputs": [([None], "float32")],
        "concrete_shapes": [[2]],
        "variables": [model.rate],
        "mode": "eager",
        "note": "saved, loaded, differentiated",
    }


EXPECT = {"eager": {"x": "flows", "rate": "flows"}, "graph": {"x": "flows", "rate": "flows"}}
