"""tf.gradients through a loop while a tape records: the tape does not see what tf.gradients adds to the loop."""

import tensorflow as tf


def build():
    keep = tf.Variable(0.8, name="keep")

    def fn(x):
        last = tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, tf.sin(s * keep)), (0, x))[1]
        return tf.square(tf.gradients(last, keep)[0])

    return {
        "fn": fn,
        "inputs": [([], "float32")],
        "concrete_shapes": [[]],
        "variables": [keep],
        "mode": "graph",
        "note": "use a second tape instead of tf.gradients",
    }


EXPECT = {"graph": {"x": "none-blocked added_after_recording", "keep": "none-blocked added_after_recording"}}
