"""unconnected_gradients=ZERO hides that the inner tape watches a copy: the penalty is zero for ever."""

import tensorflow as tf


def build():
    critic = tf.Variable([0.5, -1.0], name="critic")
    head = tf.Variable(2.0, name="head")

    def fn(x):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(tf.identity(x))
            score = tf.reduce_sum(tf.sin(x * critic))
        slope = tape.gradient(score, [x[:1]], unconnected_gradients=tf.UnconnectedGradients.ZERO)[0]
        return tf.reduce_sum(tf.square(slope)) + head

    return {
        "fn": fn,
        "inputs": [([2], "float32")],
        "concrete_shapes": [[2]],
        "variables": [critic, head],
        "mode": "graph",
        "note": "watch what the score is computed from",
    }


EXPECT = {
    "eager": {"x": "none-disconnected shape_only", "critic": "none-disconnected result_dropped", "head": "flows"},
    "graph": {"x": "none-disconnected result_dropped", "critic": "none-disconnected result_dropped", "head": "flows"},
}
