"""Small programs whose numbers go wrong, or whose gradients do; a test names the one that ``build`` returns.

``# <- cause`` marks the line to be blamed.
"""

import tensorflow as tf


def build(program="sqrt"):
    return PROGRAMS[program]()


def described(fn, values=(), variables=(), dtype="float32"):
    shapes = [[len(v)] for v in values]
    return {
        "fn": fn,
        "inputs": [(shape, dtype) for shape in shapes],
        "concrete_shapes": shapes,
        "values": list(values),
        "variables": list(variables),
    }


def loop(body, start, turns):
    return tf.while_loop(lambda i, h: i < turns, lambda i, h: (i + 1, body(h)), (0, start))[1]


def sqrt():
    w = tf.Variable(2.0, name="w")

    def body(h):
        return tf.sqrt(h * w)  # <- cause sqrt

    return described(lambda x: tf.reduce_sum(loop(body, x, 1)), [[0.0, 1.0]], [w])


def growing():
    w = tf.Variable(3.0, name="w")

    def body(h):
        return tf.exp(h * w)  # <- cause growing

    return described(lambda x: tf.reduce_sum(loop(body, x, 5)), [[1.0, 0.5]], [w])


def where_trap():
    """The bad value is masked; elsewhere a constant -inf is masked too and does no harm."""

    def fn(x):
        scores = tf.nn.softmax(tf.where(x > 0.5, x, tf.fill(tf.shape(x), float("-inf"))))
        safe = tf.where(x > 0.0, tf.math.log(x), tf.zeros_like(x))  # <- cause where_trap
        return tf.reduce_sum(safe * scores)

    return described(fn, [[0.0, 1.0, 2.0]])


def masked_slope():
    """Finite in the forward pass; in the backward pass the mask's 0 meets an infinite slope."""

    def fn(x):
        return tf.reduce_sum(tf.where(x < 1.0, tf.acos(x), x))  # <- cause masked_slope

    return described(fn, [[0.5, 1.0]])


def masked_root():
    """SqrtGrad of 0 and 0 is 0 in the plain kernels and NaN under XLA."""
    return described(lambda x: tf.reduce_sum(tf.where(x > 0.0, tf.sqrt(x), x)), [[0.0, 1.0]])


def infinite_input():
    return described(lambda x: tf.reduce_sum(x * x), [[float("nan"), 1.0]])


def cut():
    w = tf.Variable([1.0, 2.0], name="w")
    steps = tf.Variable([0.3, 0.7, 0.1], name="steps")

    def fn(x):
        stairs = tf.cast(tf.cast(steps * 3.0, tf.int32), tf.float32)
        return tf.reduce_sum(tf.sin(x) * tf.stop_gradient(w)) + tf.reduce_sum(stairs)

    return described(fn, [[0.2, 0.7]], [w, steps])


def cumprod():
    return described(lambda x: tf.reduce_sum(tf.math.cumprod(x)), [[0.0, 2.0, 3.0]])


def corner():
    w = tf.Variable([0.0, 2.0, -1.0], name="w")
    corner = tf.Variable([0.0], name="corner")
    root = tf.Variable([0.0], name="root")
    return described(
        lambda: (
            tf.reduce_sum(tf.nn.relu(w)) + tf.reduce_sum(tf.nn.relu(corner)) + tf.reduce_sum(root**0.5 * 0.0 + root)
        ),
        variables=[w, corner],
    )


def random():
    w = tf.Variable([1.0, 2.0], name="w")
    return described(lambda: tf.reduce_sum(w * tf.random.normal([2])), variables=[w])


def half():
    w = tf.Variable(tf.constant([1.0, 2.0], tf.float16), name="w")
    return described(lambda: tf.reduce_sum(w * w), variables=[w])


def double():
    w = tf.Variable(tf.constant([1.0, 2.0], tf.float64), name="w")

    @tf.custom_gradient
    def almost(x):
        return x * x, lambda dy: dy * 2.0 * x * 1.001

    return described(lambda: tf.reduce_sum(almost(w)), variables=[w])


def scan():
    """y = x3 + w x2 + w^2 x1, so that both orders can be written down."""
    w = tf.Variable(1.5, name="w")
    return described(lambda x: tf.scan(lambda a, e: a * w + e, x)[-1], [[1.0, 2.0, 3.0]], [w])


PROGRAMS = {
    f.__name__: f
    for f in (
        sqrt,
        growing,
        where_trap,
        masked_slope,
        masked_root,
        infinite_input,
        cut,
        cumprod,
        corner,
        random,
        half,
        double,
        scan,
    )
}
