"""Small programs with loops in loops; a test names the one that ``build`` returns.

Each function is plain TensorFlow that runs the same way in a graph, eagerly and under control flow v1.
"""

import tensorflow as tf


def build(program="doubling", parallel=10):
    fn, values, variables = PROGRAMS[program](parallel)
    return {
        "fn": fn,
        "inputs": [(shape(v), kind(v)) for v in values],
        "concrete_shapes": [shape(v) for v in values],
        "values": values,
        "variables": variables,
    }


def shape(value):
    return [len(value)] if isinstance(value, list) else []


def kind(value):
    first = value[0] if isinstance(value, list) else value
    return "int32" if isinstance(first, int) else "float32"


def loop(body, start, trips, parallel=10):
    return tf.while_loop(
        lambda i, h: i < trips, lambda i, h: (i + 1, body(i, h)), (0, start), parallel_iterations=parallel
    )[1]


def doubling(parallel):
    return lambda x: loop(lambda i, h: h * 2.0, x, 3, parallel), [1.0], []


def ragged(parallel):
    """Inner loops of 3, 0, 5 and 1 iterations; the third lies in a branch that is not taken."""
    w = tf.Variable([[0.3, -0.5], [0.8, 0.2]], name="w")

    def step(j, h):
        return tf.tanh(tf.linalg.matvec(w, h) + 0.1)

    def body(lengths):
        def turn(i, h):
            trips = lengths[i]
            return 1.1 * tf.cond(tf.equal(i, 2), lambda: h * 0.5, lambda: loop(step, h, trips, parallel)) + 0.1

        return turn

    def fn(x, lengths):
        return tf.reduce_sum(loop(body(lengths), x, 4, parallel) ** 2)

    return fn, [[0.3, -0.2], [3, 0, 5, 1]], [w]


def three(parallel):
    """Three levels; the innermost runs once more in each turn of the loop around it."""

    def outer(i, h):
        return loop(lambda j, g: loop(lambda k, f: tf.sin(f) * 1.2, g, j + 1, parallel) + 0.1, h, 2, parallel)

    return lambda x: loop(outer, x, 3, parallel), [0.7], []


def branched(parallel):
    """Three levels, the innermost in a branch that the second turn of the loop around it does not take."""

    def outer(i, h):
        def middle(j, g):
            return tf.cond(tf.equal(j, 1), lambda: g, lambda: loop(lambda k, f: f * 2.0, g, j + 1, parallel))

        return loop(middle, h, 3, parallel)

    return lambda x: loop(outer, x, 2, parallel), [1.0], []


def early(parallel):
    """Stops as soon as the state is large: after four of ten iterations."""

    def fn(x):
        return tf.while_loop(
            lambda i, h: h < 10.0, lambda i, h: (i + 1, h * 2.0), (0, x), maximum_iterations=10,
            parallel_iterations=parallel,
        )[1]  # fmt: skip

    return fn, [1.0], []


def reset(parallel):
    """The state is replaced: no gradient leads from one iteration to the one before."""
    return lambda x: loop(lambda i, h: tf.zeros_like(h) + 3.0 * x, x, 3, parallel), [2.0], []


def swap(parallel):
    """Fibonacci: one variable is handed on as the other."""

    def fn(x):
        return tf.while_loop(
            lambda i, a, b: i < 4, lambda i, a, b: (i + 1, b, a + b), (0, x, x), parallel_iterations=parallel
        )[2]

    return fn, [1.0], []


def called(parallel):
    """A loop in a tf.function, called in every turn of another loop."""

    @tf.function
    def inner(h):
        return loop(lambda j, g: g * 2.0, h, 2, parallel)

    return lambda x: loop(lambda i, h: inner(h) + 1.0, x, 3, parallel), [1.0], []


def nan(parallel):
    """The square root of a negative number in the third iteration, forward; from there on everything is NaN."""
    return lambda x: loop(lambda i, h: tf.sqrt(h - 0.5), x, 5, parallel), [1.0], []


def python_ragged(parallel):
    """Loops of Python's own, the inner ones of 2, 1 and 5 iterations."""

    def fn(x):
        h = x
        for trips in (2, 1, 5):
            for _ in range(trips):
                h = h * 2.0
        return h

    return fn, [1.0], []


def list_only(parallel):
    """Items of 1, 2, 3 times x; the loss is their square, so the gradients are 2, 4, 6 times x."""

    def fn(x):
        return tf.reduce_sum(
            tf.map_fn(lambda k: k * x, tf.constant([1.0, 2.0, 3.0]), parallel_iterations=parallel) ** 2
        )

    return fn, [1.0], []


PROGRAMS = {
    f.__name__: f
    for f in (doubling, ragged, three, branched, early, reset, swap, called, nan, python_ragged, list_only)
}
