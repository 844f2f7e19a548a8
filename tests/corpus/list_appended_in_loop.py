"""list.append in a loop over tf.range: the tensors of the loop body leak out of it (tensorflow#37512)."""

import tensorflow as tf


def build():
    damp = tf.Variable(0.8, name="damp")

    def fn(x):
        seen = []
        for _ in tf.range(4):
            x = tf.sin(x * damp)
            seen.append(x)  # <- raises
        return tf.reduce_sum(tf.stack(seen))

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [damp],
        "mode": "graph",
        "note": "use a TensorArray",
    }


EXPECT = {"eager": {"x": "flows", "damp": "flows"}, "graph": "raises InaccessibleTensorError"}
