"""Eager recordings: the prediction on them against the tape, and the loops, variables and departures they show."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

tf = pytest.importorskip("tensorflow")

from explorer.capture.eager import EagerRecorder  # noqa: E402
from explorer.flow.predict import predict  # noqa: E402
from explorer.model.graph import Snapshot  # noqa: E402
from tests.eager_programs import PROGRAMS, Program  # noqa: E402 - needs TensorFlow

pytestmark = pytest.mark.tensorflow


def record(program: Program) -> tuple[Snapshot, list[tuple[str, str, Any]], list[Any]]:
    """The Snapshot, its sources, and the gradient of each trainable one."""
    x = tf.constant([0.9, 1.1, 0.4, 1.7])
    sources = [("x", "input", x)]
    sources += [(v.name.split(":")[0] + str(k), "variable", v) for k, v in enumerate(program.variables)]
    with tf.GradientTape() as tape:
        program.fn.__dict__["tape"] = tape
        if program.watch_x:
            tape.watch(x)
        with EagerRecorder() as recorder:
            loss = program.fn(x)
    snapshot = recorder.snapshot(sources, [loss])
    asked = [live for _, _, live in sources if live.dtype.is_floating]
    given = iter(tape.gradient(loss, asked))
    return snapshot, sources, [next(given) if live.dtype.is_floating else None for _, _, live in sources]


@pytest.mark.parametrize("name", PROGRAMS)
def test_prediction_agrees_with_the_tape(name):
    snapshot, sources, gradients = record(PROGRAMS[name]())
    flow = predict(snapshot)
    for (source, _, live), prediction, gradient in zip(sources, flow.predictions, gradients, strict=True):
        if not live.dtype.is_floating:
            assert prediction.predicted == "not-trainable"
            continue
        assert prediction.answered == (gradient is not None), (source, prediction)
        if gradient is None:
            assert prediction.predicted in ("none-blocked", "none-disconnected"), (source, prediction)
        elif prediction.predicted != "flows":  # a hidden None: TensorFlow answers, with zeros
            assert not tf.reduce_any(tf.convert_to_tensor(gradient) != 0.0), (source, prediction)
    assert snapshot.control_flow == "eager"
    assert snapshot.complete


EXPECTED_CAUSES = {
    "stop_gradient_each_iteration": {"u0": "", "u1": "stop_gradient", "x": "stop_gradient"},
    "integer_cast": {"w0": "integer_dtype"},
    "numpy_function": {"w0": "left_tensorflow", "x": "left_tensorflow"},
    "custom_gradient_gives_none": {"w0": "custom_gradient"},
    "some_ops_outside_the_tape": {"w0": "outside_tape", "x": "outside_tape"},
    "unwatched_constant": {"x": "not_watched"},
    "assigned_in_the_loop": {"w0": "assigned"},
    "never_read_and_dropped": {"v2": "never_read", "u1": "result_dropped"},
    "shape_only": {"u1": "shape_only"},
}


@pytest.mark.parametrize("name", EXPECTED_CAUSES)
def test_causes(name):
    snapshot, _, _ = record(PROGRAMS[name]())
    causes = {p.source: p.cause for p in predict(snapshot).predictions}
    for source, cause in EXPECTED_CAUSES[name].items():
        if cause:
            assert causes[source] == cause, causes


def line_of(name: str, text: str) -> int:
    lines, first = inspect.getsourcelines(PROGRAMS[name])
    return first + next(k for k, line in enumerate(lines) if text in line)


def test_a_barrier_of_every_iteration_is_one_with_a_count_and_a_line():
    snapshot, _, _ = record(PROGRAMS["stop_gradient_each_iteration"]())
    barriers = predict(snapshot).barriers
    assert [b.cause for b in barriers] == ["stop_gradient"]
    assert barriers[0].location.line == line_of("stop_gradient_each_iteration", "tf.stop_gradient(h)")
    assert barriers[0].location.file.endswith("eager_programs.py")
    assert barriers[0].loop == snapshot.loops[0].id


def test_python_loops_have_ids_lines_trips_and_variables():
    snapshot, _, _ = record(PROGRAMS["for_in_for"]())
    outer, inner = snapshot.loops
    first = line_of("for_in_for", "range(3)")
    assert (outer.id, outer.parent, outer.depth, outer.runs) == (f"for@eager_programs.py:{first}", None, 1, (3,))
    assert inner.id == f"{outer.id}/for@eager_programs.py:{first + 1}"
    assert (inner.parent, inner.depth, inner.runs, inner.kind, inner.api) == (outer.id, 2, (2, 2, 2), "python", "for")
    assert outer.enters is True
    assert snapshot.stacks[inner.stack][0].line == first + 1
    for loop in (outer, inner):
        (slot,) = loop.slots
        assert (slot.name, slot.role, slot.dtype, slot.shape) == ("h", "state", "float32", (4,))
        assert min(slot.enters, slot.inside, slot.next, slot.leaves) >= 0
    tanh = [op for op in snapshot.ops if op.type == "Tanh"]
    assert [op.turn for op in tanh] == [(a, b) for a in range(3) for b in range(2)]
    assert {op.loop for op in tanh} == {inner.id}
    slot = outer.slots[0]
    assert snapshot.sources[0].tensor == slot.enters
    assert slot.inside == tanh[3].outputs[0]
    assert slot.next == slot.leaves == tanh[5].outputs[0]


def test_carried_keras_states_are_named():
    snapshot, _, _ = record(PROGRAMS["keras_cells_in_nested_loops"]())
    outer, inner = snapshot.loops
    assert (outer.runs, inner.runs) == ((2,), (3, 3))
    assert [s.name for s in outer.slots] == ["total"]
    assert sorted(s.name for s in inner.slots) in (["h", "states[1]"], ["states[0]", "states[1]"])


def test_tensorflows_own_loops_run_eagerly():
    snapshot, _, _ = record(PROGRAMS["while_loop_eager"]())
    (loop,) = snapshot.loops
    assert (loop.kind, loop.api, loop.runs) == ("While", "while_loop", (3,))
    assert loop.id == f"while_loop@eager_programs.py:{line_of('while_loop_eager', 'tf.while_loop(')}"
    assert {s.name: s.role for s in loop.slots} == {"i": "counter", "h": "state"}
    sines = [op for op in snapshot.ops if op.type == "Sin"]
    assert [(op.loop, op.turn) for op in sines] == [(loop.id, (k,)) for k in range(3)]
    compared = [op.turn for op in snapshot.ops if op.type == "Less"]
    assert compared == [(0,), (1,), (2,), (3,)]


def test_map_fn_in_a_python_loop():
    snapshot, _, _ = record(PROGRAMS["map_fn_in_a_python_loop"]())
    assert [(loop.api, loop.depth, loop.runs) for loop in snapshot.loops] == [("for", 1, (2,)), ("map_fn", 2, (3, 3))]


def test_keras_rnn_in_a_python_loop():
    snapshot, _, _ = record(PROGRAMS["keras_layer_with_its_own_loop"]())
    assert [(loop.api, loop.depth, loop.runs) for loop in snapshot.loops] == [
        ("for", 1, (2,)),
        ("Keras RNN", 2, (2, 2)),
    ]


def test_functions_are_frozen_below_their_call():
    snapshot, _, _ = record(PROGRAMS["function_with_a_loop_inside"]())
    calls = [op for op in snapshot.ops if op.type == "PartitionedCall" and op.graph == 0]
    assert [op.turn for op in calls] == [(0,), (1,)]
    below = [next(g for g in snapshot.graphs if g.op == op.id) for op in calls]
    assert [g.kind for g in below] == ["call", "call"]
    python, *inside = snapshot.loops
    assert [(loop.kind, loop.parent, loop.depth) for loop in inside] == [("StatelessWhile", python.id, 2)] * 2 or [
        (loop.kind, loop.parent, loop.depth) for loop in inside
    ] == [("While", python.id, 2)] * 2
    assert len({loop.id for loop in inside}) == 2
    first, second = ([op.type for op in snapshot.ops if op.graph == g.id] for g in below)
    assert first == second  # the second is not the graph that the tape has rewritten for the first


def test_values_that_leave_tensorflow_are_noted():
    snapshot, _, _ = record(PROGRAMS["numpy_inside"]())
    (departure,) = snapshot.departures
    assert departure.how == ".numpy()"
    assert snapshot.stacks[departure.stack][0].line == line_of("numpy_inside", "h.numpy()")
    assert snapshot.ops[snapshot.tensors[departure.tensor].op].type == "Mul"
    snapshot, _, _ = record(PROGRAMS["float_and_bool_decide"]())
    assert [d.how for d in snapshot.departures] == ["float()", "bool()"]


def test_what_ran_before_an_error_is_kept():
    x = tf.constant([1.0, 2.0])
    recorder = EagerRecorder()

    def fails_in_the_fourth_iteration():
        with recorder:
            for k in range(5):
                tf.sin(x)
                assert 1 / (3 - k)

    with pytest.raises(ZeroDivisionError):
        fails_in_the_fourth_iteration()
    snapshot = recorder.snapshot([("x", "input", x)], [])
    assert not snapshot.complete
    assert snapshot.loops[0].runs == (4,)
    assert len([op for op in snapshot.ops if op.type == "Sin"]) == 4


def test_ids_are_positions():
    for name in ("function_with_a_loop_inside", "custom_gradient_gives_none", "unwatched_constant"):
        snapshot, _, _ = record(PROGRAMS[name]())
        assert [op.id for op in snapshot.ops] == list(range(len(snapshot.ops)))
        assert [t.id for t in snapshot.tensors] == list(range(len(snapshot.tensors)))
        assert [g.id for g in snapshot.graphs] == list(range(len(snapshot.graphs)))
        for op in snapshot.ops:
            assert all(t < len(snapshot.tensors) for t in (*op.inputs, *op.outputs))
            assert all(snapshot.tensors[t].op == op.id for t in op.outputs)
            assert not op.loop or snapshot.loop(op.loop)


def test_everything_is_put_back():
    from explorer.capture import private

    before = [private.record.record_operation, private.while_loop_module.while_loop, private.EagerTensorBase._numpy]
    with EagerRecorder():
        assert private.record.record_operation is not before[0]
    after = [private.record.record_operation, private.while_loop_module.while_loop, private.EagerTensorBase._numpy]
    assert before == after
    assert float(tf.constant(2.0)) == 2.0
