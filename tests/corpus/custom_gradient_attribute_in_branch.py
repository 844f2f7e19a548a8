"""The variable is an attribute, and the branch an if that AutoGraph converts: raises like a tf.cond."""

import tensorflow as tf


def build():
    class Gain:
        def __init__(self):
            self.level = tf.Variable(1.5, trainable=False, name="level")

        def applied(self, value):
            @tf.custom_gradient
            def amplify(value):
                def grad(upstream):
                    clipped = tf.clip_by_value(upstream, -1.0, 1.0)
                    return clipped * self.level  # <- warned, raises

                return 2.0 * value, grad

            return amplify(value)

    gain = Gain()

    def fn(x):
        if tf.reduce_sum(x) < 99.0:
            x = gain.applied(x)
        return tf.reduce_sum(x)

    return {
        "fn": fn,
        "inputs": [([4], "float32")],
        "concrete_shapes": [[4]],
        "variables": [],
        "mode": "graph",
        "note": "read self.level outside the grad function",
    }


EXPECT = {"eager": {"x": "flows"}, "graph": "raises AttributeError"}
