"""Code that AutoGraph converts in eager mode (tf.map_fn does): its lines, loops and decisions are the user's."""

import inspect
import os

import pytest
import tensorflow as tf

from explorer.capture.eager import EagerRecorder
from explorer.capture.lines import declare_user_folder

pytestmark = pytest.mark.tensorflow


def deepen(row, weight):
    h = row
    for _ in range(3):
        h = tf.sin(h * weight)  # for
    k = 0
    while k < 2:
        h = tf.cos(h)  # while
        k += 1
    return h


def mapped(x, weight):
    def one(row):
        h = deepen(row, weight)  # called
        if tf.reduce_sum(h) > -100.0:  # decided
            h = tf.exp(h)
        for _ in tf.range(2):  # loop
            h = tf.tanh(h)
        return h * tf.reduce_max(h).numpy()  # read

    return tf.map_fn(one, x)  # mapped


def mapped_lambda(x, weight):
    return tf.map_fn(lambda row: tf.sin(row) * weight, x)  # lambda


def learnt_bound(x, weight):
    return tf.while_loop(
        lambda y: tf.reduce_sum(y) < weight,  # condition
        lambda y: (y * 2.0,),
        (x,),
        maximum_iterations=5,
    )[0]


@pytest.fixture(scope="module", name="record")
def recorder():
    declare_user_folder(os.path.dirname(__file__))

    def record(program):
        x, weight = tf.ones([2, 3]), tf.Variable(20.0)
        with EagerRecorder() as recorder, tf.GradientTape() as tape:
            tape.watch(x)
            loss = program(x, weight)
        return recorder.snapshot([("x", "input", x), ("weight", "variable", weight)], [loss])

    return record


def line(program, mark):
    lines, first = inspect.getsourcelines(program)
    return next(n for n, text in enumerate(lines, first) if text.rstrip().endswith(f"# {mark}"))


def lines_of(snapshot, op_type):
    return {snapshot.where(op.stack).line for op in snapshot.ops if op.type == op_type}


def test_an_op_has_its_line_in_the_mapped_function(record):
    snapshot = record(mapped)
    assert lines_of(snapshot, "Sin") == {line(deepen, "for")}
    assert lines_of(snapshot, "Cos") == {line(deepen, "while")}
    assert lines_of(record(mapped_lambda), "Sin") == {line(mapped_lambda, "lambda")}


def test_the_callers_are_told_as_well(record):
    snapshot = record(mapped)
    sine = next(op for op in snapshot.ops if op.type == "Sin")
    lines = {place.line for place in snapshot.stacks[sine.stack]}
    assert {line(deepen, "for"), line(mapped, "called"), line(mapped, "mapped")} <= lines


def test_python_loops_inside_are_loops(record):
    loops = {(loop.kind, loop.api): loop for loop in record(mapped).loops}
    outer = loops["While", "map_fn"]
    assert loops["python", "for"].runs == (3, 3)
    assert loops["python", "while"].runs == (2, 2)
    assert loops["While", "AutoGraph for"].runs == (2, 2)
    assert {loop.parent for loop in loops.values() if loop is not outer} == {outer.id}


def test_every_iteration_counts_the_first_included(record):
    turns = [op.turn for op in record(mapped).ops if op.type == "Cos"]
    assert turns == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_what_is_decided_and_what_is_read_is_noted(record):
    snapshot = record(mapped)
    noted = {(d.how, snapshot.where(d.stack).line) for d in snapshot.departures}
    assert {("tf.cond", line(mapped, "decided")), (".numpy()", line(mapped, "read"))} <= noted
    assert ("tf.while_loop", line(mapped, "mapped")) in noted


def test_a_loop_condition_is_noted_where_it_is_written(record):
    snapshot = record(learnt_bound)
    noted = {(d.how, snapshot.where(d.stack).line) for d in snapshot.departures}
    assert ("tf.while_loop", line(learnt_bound, "condition")) in noted
