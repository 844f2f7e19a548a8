"""A method called from the loop keeps its state on self: AutoGraph does not see it as a loop variable."""

import tensorflow as tf


class Walker:
    def __init__(self):
        self.stride = tf.Variable(0.5, name="stride")

    def step(self):
        self.place = tf.cos(self.place * self.stride)  # <- raises


def build():
    walker = Walker()

    def fn(x):
        walker.place = x
        for _ in tf.range(3):
            walker.step()
        return tf.reduce_mean(walker.place)

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "variables": [walker.stride],
        "mode": "graph",
        "note": "return the state instead (tensorflow#57756)",
    }


EXPECT = {"eager": {"x": "flows", "stride": "flows"}, "graph": "raises InaccessibleTensorError"}
