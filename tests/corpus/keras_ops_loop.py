"""keras.ops.while_loop on the TensorFlow backend is tf.while_loop: it flows (keras#18957)."""

import tensorflow as tf
from keras import ops


def build():
    drift = tf.Variable(0.3, name="drift")

    def fn(x):
        def far(place):
            return ops.max(ops.abs(place)) > 0.5

        return ops.sum(ops.while_loop(far, lambda place: (place * drift,), (x,))[0])

    return {
        "fn": fn,
        "inputs": [([3], "float32")],
        "concrete_shapes": [[3]],
        "values": [[4.0, -2.0, 1.0]],
        "variables": [drift],
        "mode": "graph",
        "note": "stops when all is near",
    }


EXPECT = {"eager": {"x": "flows", "drift": "flows"}, "graph": {"x": "flows", "drift": "flows"}}
