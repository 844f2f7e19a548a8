"""stop_gradient stands on the student instead of on the teacher: the wrong one learns."""

import tensorflow as tf


def build():
    student = tf.Variable([0.5, 0.1], name="student")
    teacher = tf.Variable([0.7, -0.2], name="teacher")

    def fn(x):
        guess = tf.stop_gradient(tf.tanh(x * student))  # <- cause
        return tf.reduce_mean(tf.square(guess - tf.tanh(x * teacher)))

    return {
        "fn": fn,
        "inputs": [([3, 2], "float32")],
        "concrete_shapes": [[3, 2]],
        "variables": [student, teacher],
        "mode": "graph",
        "note": "swap it",
    }


EXPECT = {
    "eager": {"x": "flows", "student": "none-blocked stop_gradient", "teacher": "flows"},
    "graph": {"x": "flows", "student": "none-blocked stop_gradient", "teacher": "flows"},
}
