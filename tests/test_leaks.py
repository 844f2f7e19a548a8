"""A tensor kept in Python state inside a loop: the line that kept it is named, wherever TensorFlow trips over it.

Each program marks with ``# <- kept`` the line to name; TensorFlow itself raises when the program is traced.
"""

import inspect
from typing import Any

import pytest
import tensorflow as tf

from explorer.capture.lines import declare_user_folder
from explorer.engine.leaks import stored_at

pytestmark = pytest.mark.tensorflow


class Log:
    """Keeps what it is given."""

    def __init__(self):
        self.kept: Any = []
        self.last: Any = None

    def remember(self, value):
        self.kept.append(value)

    def halve(self):
        self.last = self.last * 0.5

    def total(self):
        return tf.add_n(self.kept)


def extended(x):
    outs, others = [], []
    h = x
    for _ in tf.range(3):
        h = tf.tanh(h)
        others.append(1)
        outs.extend([h, h])  # <- kept
    return tf.add_n(outs) * len(others)


def item_kept_by_a_called_function(x):
    found = {}

    def step(h):
        h = tf.tanh(h)
        found["last"] = h  # <- kept
        return h

    h = x
    for _ in tf.range(3):
        h = step(h)
    return tf.reduce_sum(found["last"])


def attribute_of_a_called_method(x):
    log = Log()
    log.last = x
    for _ in tf.range(3):
        log.halve()
    return tf.reduce_sum(log.last)


def method_that_keeps(x):
    log = Log()
    for _ in tf.range(3):
        x = tf.sin(x)
        log.remember(x)
    return log.total()


def variable_of_the_outer_function(x):
    last = x

    def step(h):
        nonlocal last
        last = tf.sin(h)  # <- kept
        return last

    h = x
    for _ in tf.range(3):
        h = step(h)
    return tf.reduce_sum(last)


def named_by_setattr(x):
    log = Log()
    for _ in tf.range(3):
        x = tf.sin(x)
        setattr(log, "last", x)  # <- kept  # noqa: B010
    return tf.reduce_sum(log.last)


def while_statement(x):
    seen = []
    while tf.reduce_sum(x) > 0.1:
        x = tf.sin(x)
        seen.append({"x": x})  # <- kept
    return tf.reduce_sum(seen[0]["x"])


def body_of_while_loop(x):
    outs = []

    def body(i, h):
        h = tf.tanh(h)
        outs.append(h)  # <- kept
        return i + 1, h

    tf.while_loop(lambda i, _: i < 3, body, (0, x))
    return tf.add_n(outs) * 2.0


def mapped_function(x):
    outs = []

    def one(row):
        y = tf.sin(row)
        outs.append(y)  # <- kept
        return y

    return tf.reduce_sum(tf.map_fn(one, x)) + tf.add_n(outs)


def one_of_two_lists(x):
    early, late = [], []
    for _ in tf.range(3):
        y = x * 0.5
        early.append(y)  # <- kept
        x = tf.sin(y)
        late.append(x)
    total = tf.reduce_sum(x)
    return total + tf.add_n(early)


def inner_of_two_loops(x):
    outs = []
    for _ in tf.range(3):
        inner = []
        for _ in tf.range(2):
            x = tf.tanh(x)
            inner.append(x)  # <- kept
        outs.append(tf.add_n(inner) * 2.0)
    return tf.add_n(outs) * 2.0


def loop_variable_itself(x):
    seen = []
    for step in tf.range(3):
        seen.append(step)  # <- kept
        x = tf.sin(x)
    return x * tf.cast(tf.add_n(seen) + 1, tf.float32)


def branch(x):
    outs = []
    if tf.reduce_sum(x) > -1000.0:
        outs.append(tf.sin(x))  # <- kept
    return outs[0] * 2.0


def grown_list(x):
    outs = []
    for _ in tf.range(3):
        x = tf.tanh(x)
        outs += [x]  # <- kept
    return tf.add_n(outs)


MARKED = [
    extended, item_kept_by_a_called_function, variable_of_the_outer_function, named_by_setattr, while_statement,
    body_of_while_loop, mapped_function, one_of_two_lists, inner_of_two_loops, loop_variable_itself, branch, grown_list,
]  # fmt: skip
CALLED = [(attribute_of_a_called_method, Log.halve), (method_that_keeps, Log.remember)]


@pytest.fixture(autouse=True)
def _own_files():
    declare_user_folder(inspect.getfile(Log).rpartition("/")[0])


def line_named(program):
    with pytest.raises((TypeError, ValueError)) as caught:
        tf.function(program).get_concrete_function(tf.TensorSpec([2]))
    where = stored_at(caught.value, None)
    assert where is not None
    return where.line


@pytest.mark.parametrize("program", MARKED, ids=lambda p: p.__name__)
def test_the_line_that_kept_the_tensor_is_named(program):
    lines, first = inspect.getsourcelines(program)
    marked = next(n for n, line in enumerate(lines, first) if "# <- kept" in line)
    assert line_named(program) == marked


@pytest.mark.parametrize(("program", "method"), CALLED, ids=lambda p: p.__name__)
def test_a_method_that_keeps_it_is_named_rather_than_its_call(program, method):
    assert line_named(program) == inspect.getsourcelines(method)[1] + 1


def test_another_failure_has_no_such_line():
    def program(x):
        outs = []
        for _ in tf.range(3):
            outs.append(1)
            x = tf.matmul(x, x)
        return x

    with pytest.raises(ValueError, match="rank") as caught:
        tf.function(program).get_concrete_function(tf.TensorSpec([2]))
    assert stored_at(caught.value, None) is None
