"""Non-maximum suppression gives indices: the scores learn nothing from which boxes are kept, the boxes flow."""

import tensorflow as tf


def build():
    scores = tf.Variable([0.9, 0.8, 0.3], name="scores")
    boxes = tf.Variable([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [2.0, 2.0, 3.0, 3.0]], name="boxes")

    def fn():
        kept = tf.image.non_max_suppression(boxes, scores, 2)  # <- cause
        return tf.reduce_sum(tf.square(tf.gather(boxes, kept)))

    return {
        "fn": fn,
        "inputs": [],
        "concrete_shapes": [],
        "variables": [scores, boxes],
        "mode": "graph",
        "note": "train the scores by a loss of their own",
    }


EXPECT = {
    "eager": {"scores": "none-blocked integer_dtype", "boxes": "flows"},
    "graph": {"scores": "none-blocked integer_dtype", "boxes": "flows"},
}
