"""Two loops, and in the inner one the value becomes an integer for a moment: no gradient for what comes before."""

import tensorflow as tf


def build():
    scale = tf.Variable(2.6, name="scale")
    gain = tf.Variable(0.75, name="gain")

    def fn(x):
        def quantise(k, level):
            whole = tf.cast(level * scale, tf.int32)  # <- cause
            return k + 1, tf.cast(whole, tf.float32) * gain

        def sweep(n, level):
            return n + 1, tf.while_loop(lambda k, _: k < 3, quantise, (0, level))[1]

        return tf.reduce_mean(tf.while_loop(lambda n, _: n < 2, sweep, (0, x))[1])

    return {
        "fn": fn,
        "inputs": [([None], "float32")],
        "concrete_shapes": [[4]],
        "values": [[3.0, 5.0, 8.0, 13.0]],
        "variables": [scale, gain],
        "mode": "graph",
        "note": "float, int32, float in the inner body",
    }


EXPECT = {
    "eager": {"x": "none-blocked integer_dtype", "scale": "none-blocked integer_dtype", "gain": "flows"},
    "graph": {"x": "zero-blocked integer_dtype", "scale": "zero-blocked integer_dtype", "gain": "flows"},
    "tf1": {"x": "zero-blocked integer_dtype", "scale": "none-blocked integer_dtype", "gain": "flows"},
}
