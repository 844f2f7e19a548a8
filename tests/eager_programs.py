"""Small eager programs for the recorder: each takes x (shape [4], positive) and returns a loss; some own variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf


@dataclass(frozen=True)
class Program:
    """``fn(x)``, and the variables to differentiate with respect to; ``watch_x``: the tape watches x."""

    fn: Callable[[Any], Any]
    variables: tuple[Any, ...] = ()
    watch_x: bool = True


PROGRAMS: dict[str, Callable[[], Program]] = {}


def program(make: Callable[[], Program]) -> Callable[[], Program]:
    PROGRAMS[make.__name__] = make
    return make


def weight(name: str = "w") -> Any:
    return tf.Variable([0.5, -0.3, 0.2, 0.7], name=name)


@program
def for_in_for() -> Program:
    w = weight()

    def fn(x):
        h = x
        for _ in range(3):
            for _ in range(2):
                h = tf.tanh(h * w)
        return tf.reduce_sum(h)

    return Program(fn, (w,))


@program
def keras_cells_in_nested_loops() -> Program:
    cell = tf.keras.layers.LSTMCell(3)
    cell.build((None, 4))

    def fn(x):
        total = 0.0
        for i in range(2):
            h, states = None, cell.get_initial_state(batch_size=1)
            for t in range(3):
                h, states = cell(x[None] * (1.0 + i + t), states)
            total += tf.reduce_sum(h)
        return total

    return Program(fn, tuple(v.value for v in cell.trainable_variables))


@program
def stop_gradient_each_iteration() -> Program:
    w, u = weight(), weight("u")

    def fn(x):
        h = x * u
        for _ in range(3):
            h = tf.stop_gradient(h)
            h = h * w
        return tf.reduce_sum(h)

    return Program(fn, (w, u))


@program
def stop_gradient_in_the_first_iteration_only() -> Program:
    w = weight()

    def fn(x):
        h = x
        for i in range(3):
            if i == 0:
                h = tf.stop_gradient(h)
            h = tf.sin(h) * w
        return tf.reduce_sum(h)

    return Program(fn, (w,))


@program
def integer_cast() -> Program:
    w, u = weight(), weight("u")

    def fn(x):
        total = tf.zeros([])
        for i in range(2):
            whole = tf.cast(x * w * 10.0, tf.int32)
            total += tf.reduce_sum(tf.cast(whole, tf.float32) * u) * (i + 1.0)
        return total

    return Program(fn, (w, u))


@program
def numpy_inside() -> Program:
    w, u = weight(), weight("u")

    def fn(x):
        h = x * w
        return tf.reduce_sum(tf.constant(h.numpy() * 2.0) * u)

    return Program(fn, (w, u))


@program
def float_and_bool_decide() -> Program:
    w, u = weight(), weight("u")

    def fn(x):
        scale = float(tf.reduce_sum(w))
        if tf.reduce_sum(x) > 0:
            return tf.reduce_sum(x * u) * scale
        return tf.reduce_sum(x * w)

    return Program(fn, (w, u))


@program
def numpy_function() -> Program:
    w, u = weight(), weight("u")

    def fn(x):
        h = tf.numpy_function(lambda a: np.sin(a), [x * w], tf.float32)
        return tf.reduce_sum(h * u)

    return Program(fn, (w, u))


@program
def py_function() -> Program:
    w = weight()

    def fn(x):
        return tf.reduce_sum(tf.py_function(lambda a: a * a, [x * w], tf.float32))

    return Program(fn, (w,))


@program
def variable_straight_into_ops() -> Program:
    w, u, v = weight(), weight("u"), weight("v")

    def fn(x):
        both = tf.stack([x, w])
        return tf.reduce_sum(both) + tf.reduce_sum(x * u) + tf.reduce_sum(tf.concat([x, v], 0) ** 2)

    return Program(fn, (w, u, v))


@program
def embedding_lookup() -> Program:
    table = tf.Variable(np.arange(12.0, dtype=np.float32).reshape(6, 2), name="table")

    def fn(x):
        total = tf.zeros([])
        for k in (1, 3):
            total += tf.reduce_sum(tf.gather(table, [k, k + 1]) ** 2) * x[0]
        return total

    return Program(fn, (table,))


@program
def gather_by_a_computed_index() -> Program:
    w = weight()

    def fn(x):
        place = tf.argmax(x * w)
        return tf.gather(x, place) + 0.0 * tf.cast(place, tf.float32)

    return Program(fn, (w,))


@program
def custom_gradient_passes() -> Program:
    w = weight()

    @tf.custom_gradient
    def double(a):
        return tf.round(a) * 2.0, lambda upstream: upstream * 2.0

    return Program(lambda x: tf.reduce_sum(double(x * w)), (w,))


@program
def custom_gradient_gives_none() -> Program:
    w, u = weight(), weight("u")

    @tf.custom_gradient
    def product(a, b):
        return a * b, lambda upstream: (None, upstream * a)

    def fn(x):
        h = x
        for _ in range(2):
            h = product(h * w, u)
        return tf.reduce_sum(h)

    return Program(fn, (w, u))


@program
def custom_gradient_with_a_variable() -> Program:
    w = weight()

    @tf.custom_gradient
    def scaled(a):
        def back(upstream, variables=None):
            return upstream * variables[0], [tf.reduce_sum(upstream * a) * tf.ones([4])]

        return a * w, back

    return Program(lambda x: tf.reduce_sum(scaled(x)), (w,))


@program
def function_called_in_the_loop() -> Program:
    w, u = weight(), weight("u")

    @tf.function
    def step(h, i):
        return tf.tanh(h * w) + tf.stop_gradient(h * u) * tf.cast(i, tf.float32)

    def fn(x):
        h = x
        for i in tf.range(3):
            h = step(h, i)
        return tf.reduce_sum(h)

    return Program(fn, (w, u))


@program
def function_with_a_loop_inside() -> Program:
    w, u = weight(), weight("u")

    @tf.function
    def inner(h):
        for _ in tf.range(3):
            h = tf.sin(h) * w + tf.round(u)
        return h, tf.reduce_sum(h)

    def fn(x):
        total = tf.zeros([])
        h = x
        for _ in range(2):
            h, s = inner(h)
            total += s
        return total

    return Program(fn, (w, u))


@program
def function_with_a_cut_carry() -> Program:
    w = weight()

    @tf.function
    def inner(h):
        for _ in tf.range(3):
            h = tf.stop_gradient(h) * w
        return h

    return Program(lambda x: tf.reduce_sum(inner(x)), (w,))


@program
def while_loop_eager() -> Program:
    w, u = weight(), weight("u")

    def fn(x):
        def body(i, h):
            return i + 1, tf.sin(h) * w + tf.cast(tf.cast(u, tf.int32), tf.float32)

        return tf.reduce_sum(tf.while_loop(lambda i, h: i < 3, body, (tf.constant(0), x))[1])

    return Program(fn, (w, u))


@program
def map_fn_in_a_python_loop() -> Program:
    w = weight()

    def fn(x):
        h = tf.stack([x, x * 2.0, x * 3.0])
        for _ in range(2):
            h = tf.map_fn(lambda row: tf.tanh(row * w), h)
        return tf.reduce_sum(h)

    return Program(fn, (w,))


@program
def scan_and_foldl() -> Program:
    w = weight()

    def fn(x):
        s = tf.scan(lambda a, b: a * 0.5 + b * w[0], x, initializer=tf.constant(0.0))
        return tf.reduce_sum(s) + tf.foldl(lambda a, b: a + b, x)

    return Program(fn, (w,))


@program
def assigned_in_the_loop() -> Program:
    w, memory = weight(), tf.Variable(tf.zeros([4]), name="memory")

    def fn(x):
        for _ in range(2):
            memory.assign_add(x * w)
        return tf.reduce_sum(memory)

    return Program(fn, (w, memory))


@program
def argmax_and_round() -> Program:
    w, u, v = weight(), weight("u"), weight("v")

    def fn(x):
        best = tf.cast(tf.argmax(x * w), tf.float32)
        return best * tf.reduce_sum(u) + tf.reduce_sum(tf.round(x * v))

    return Program(fn, (w, u, v))


@program
def where_selects() -> Program:
    w, u = weight(), weight("u")

    def fn(x):
        return tf.reduce_sum(tf.where(x * w > 0.0, x * u, tf.zeros_like(x)))

    return Program(fn, (w, u))


@program
def tensor_array() -> Program:
    w = weight()

    def fn(x):
        collected = tf.TensorArray(tf.float32, 3)
        h = x
        for i in range(3):
            h = tf.tanh(h * w)
            collected = collected.write(i, h)
        return tf.reduce_sum(collected.stack()[1:])

    return Program(fn, (w,))


@program
def some_ops_outside_the_tape() -> Program:
    w, u = weight(), weight("u")

    def fn(x):
        tape = fn.tape
        with tape.stop_recording():
            frozen = x * w
        return tf.reduce_sum(frozen * u)

    return Program(fn, (w, u))


@program
def unwatched_constant() -> Program:
    w = weight()
    return Program(lambda x: tf.reduce_sum(tf.sin(x) * x * w), (w,), watch_x=False)


@program
def unwatched_constant_into_a_function() -> Program:
    w = weight()
    return Program(tf.function(lambda x: tf.reduce_sum(tf.sin(x) * w)), (w,), watch_x=False)


@program
def variables_not_watched() -> Program:
    w, u = weight(), weight("u")

    def fn(x):
        with tf.GradientTape(watch_accessed_variables=False) as inner:
            inner.watch(u)
            y = tf.reduce_sum(tf.sin(x * u) * w)
        return inner.gradient(y, u)[0]

    return Program(fn, (w, u))


@program
def never_read_and_dropped() -> Program:
    w, u, v = weight(), weight("u"), weight("v")

    def fn(x):
        _dropped = [x * u for _ in range(2)]
        return tf.reduce_sum(x * w)

    return Program(fn, (w, u, v))


@program
def reset_each_iteration() -> Program:
    w, u = weight(), weight("u")

    def fn(x):
        h = x * u
        for _ in range(3):
            h = tf.zeros([4]) + w
        return tf.reduce_sum(h) + tf.reduce_sum(x)

    return Program(fn, (w, u))


@program
def shape_only() -> Program:
    w, u = weight(), weight("u")

    def fn(x):
        n = tf.cast(tf.shape(x * u)[0], tf.float32)
        return n * tf.reduce_sum(w) + tf.reduce_sum(tf.ones_like(x))

    return Program(fn, (w, u))


@program
def comprehension_and_tensor_iteration() -> Program:
    w = weight()

    def fn(x):
        parts = [tf.sin(part) * w[0] for part in x]
        return tf.add_n(parts)

    return Program(fn, (w,))


@program
def own_tape_inside() -> Program:
    w = weight()

    def fn(x):
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.sin(x) * w)
        return tf.reduce_sum(inner.gradient(y, x) ** 2)

    return Program(fn, (w,))


@program
def keras_layer_with_its_own_loop() -> Program:
    layer = tf.keras.layers.SimpleRNN(2)
    layer.build((None, None, 4))

    def fn(x):
        total = tf.zeros([])
        for k in range(2):
            total += tf.reduce_sum(layer(tf.stack([x, x * 2.0])[None] * (k + 1.0)))
        return total

    return Program(fn, tuple(v.value for v in layer.trainable_variables))


@program
def split_and_unstack() -> Program:
    w, u = weight(), weight("u")

    def fn(x):
        first, _second = tf.split(x * w, 2)
        a, _, _, d = tf.unstack(x * u)
        return tf.reduce_sum(first) + a * d

    return Program(fn, (w, u))


@program
def integer_variable_and_loss_in_double() -> Program:
    steps, w = tf.Variable(3, name="steps"), weight()

    def fn(x):
        h = tf.cast(x, tf.float64)
        for _ in range(2):
            h = h * tf.cast(w, tf.float64) * tf.cast(steps, tf.float64)
        return tf.reduce_sum(h)

    return Program(fn, (steps, w))
