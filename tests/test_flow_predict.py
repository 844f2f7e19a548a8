"""The prediction on programs made by hand: each rule once, without TensorFlow."""

from __future__ import annotations

import pytest

from explorer.flow.predict import predict
from explorer.model.graph import Snapshot
from explorer.model.verdict import Barrier, GradientFlow, Prediction
from tests.hand_made import CARRIES, CARRIES_BOTH, GIVES_ZERO, RETURNS_NONE, UNREGISTERED, Sketch


def told(snapshot: Snapshot) -> tuple[GradientFlow, dict[str, Prediction], dict[str, Barrier]]:
    flow = predict(snapshot)
    return flow, {p.source: p for p in flow.predictions}, {b.id: b for b in flow.barriers}


def test_a_whole_path_flows() -> None:
    sketch = Sketch()
    x = sketch.source("x")
    flow, by_source, _ = told(sketch.snapshot(sketch.op("Tanh", [x], CARRIES)))
    assert by_source["x"] == Prediction("x", "flows", True)
    assert x in flow.whole


@pytest.mark.parametrize(
    ("kind", "signature", "cause", "answered"),
    [
        ("Floor", RETURNS_NONE, "rule_returns_none", False),
        ("Sign", GIVES_ZERO, "rule_gives_zero", True),
        ("StopGradient", RETURNS_NONE, "stop_gradient", False),
        ("PyFunc", RETURNS_NONE, "left_tensorflow", False),
    ],
)
def test_one_op_cuts(kind: str, signature, cause: str, answered: bool) -> None:
    sketch = Sketch()
    x = sketch.source("x")
    y = sketch.op(kind, [x], signature)
    _, by_source, barriers = told(sketch.snapshot(sketch.op("Tanh", [y], CARRIES)))
    assert by_source["x"].predicted == "none-blocked"
    assert by_source["x"].answered is answered
    (barrier,) = barriers.values()
    assert (barrier.cause, barrier.op_type, barrier.location.line, barrier.loud) == (cause, kind, 2, False)


def test_entering_the_integers_is_the_barrier_and_coming_back_is_not() -> None:
    sketch = Sketch()
    x = sketch.source("x")
    k = sketch.op("Cast", [x], RETURNS_NONE, dtype="int32")
    k = sketch.op("Add", [k, k], CARRIES_BOTH, dtype="int32")
    back = sketch.op("Cast", [k], RETURNS_NONE)
    _, by_source, barriers = told(sketch.snapshot(back))
    assert by_source["x"].barriers == ("b1",)
    assert (barriers["b1"].cause, barriers["b1"].location.line) == ("integer_dtype", 2)


def test_a_missing_rule_raises_for_every_source() -> None:
    sketch = Sketch()
    x, y = sketch.source("x"), sketch.source("y")
    cut = sketch.op("AdjustContrastv2", [x], UNREGISTERED)
    loss = sketch.op("Mul", [cut, y], CARRIES_BOTH)
    _, by_source, barriers = told(sketch.snapshot(loss))
    assert {p.predicted for p in by_source.values()} == {"raised"}
    assert barriers["b1"].loud


def test_a_missing_rule_is_silent_where_no_gradient_arrives() -> None:
    sketch = Sketch()
    x, y = sketch.source("x"), sketch.source("y")
    cut = sketch.op("ScanDataset", [x], UNREGISTERED)
    gone = sketch.op("StopGradient", [cut], RETURNS_NONE)
    _, by_source, barriers = told(sketch.snapshot(sketch.op("Mul", [gone, y], CARRIES_BOTH)))
    assert by_source["x"].predicted == "none-blocked"
    assert by_source["y"].predicted == "flows"
    assert not any(b.loud for b in barriers.values())


def test_what_is_computed_and_dropped_is_named() -> None:
    sketch = Sketch()
    x, y = sketch.source("x"), sketch.source("y")
    sketch.op("Tanh", [x], CARRIES)
    _, by_source, barriers = told(sketch.snapshot(sketch.op("Neg", [y], CARRIES)))
    assert by_source["x"].predicted == "none-disconnected"
    assert by_source["x"].cause == "result_dropped"
    assert barriers[by_source["x"].barriers[0]].location.line == 3


def test_never_read() -> None:
    sketch = Sketch()
    sketch.source("x")
    y = sketch.source("y")
    _, by_source, _ = told(sketch.snapshot(sketch.op("Neg", [y], CARRIES)))
    assert (by_source["x"].predicted, by_source["x"].cause) == ("none-disconnected", "never_read")


def test_hidden_none_a_cut_in_a_loop_is_answered_with_zero() -> None:
    """TensorFlow's While gives a tensor to every captured float as soon as one output has a gradient."""
    sketch = Sketch()
    x, w = sketch.source("x"), sketch.source("w")

    def body(s: Sketch, inside: list[int], graph: int, loop: str) -> list[int]:
        cut = s.op("StopGradient", [inside[1]], RETURNS_NONE, graph=graph, loop=loop)
        return [s.op("Mul", [inside[0], cut], CARRIES_BOTH, graph=graph, loop=loop), inside[1]]

    leaves = sketch.loop([x, w], body)
    _, by_source, barriers = told(sketch.snapshot(leaves[0]))
    assert by_source["x"].predicted == "flows"
    assert by_source["w"].predicted == "none-blocked"
    assert by_source["w"].answered
    assert barriers["b1"].loop == "loop0"


def test_a_value_only_the_condition_reads() -> None:
    sketch = Sketch()
    n, x = sketch.source("n"), sketch.source("x")
    leaves = sketch.loop(
        [n, x],
        lambda s, inside, graph, loop: [inside[0], s.op("Tanh", [inside[1]], CARRIES, graph=graph, loop=loop)],
    )
    _, by_source, barriers = told(sketch.snapshot(leaves[1]))
    assert by_source["n"].predicted == "none-blocked"
    assert {barriers[b].cause for b in by_source["n"].barriers} == {"condition_only"}


@pytest.mark.parametrize(("runs", "predicted"), [(True, "none-disconnected"), (None, "flows"), (False, "flows")])
def test_an_initial_value_that_the_body_replaces(runs: bool | None, predicted: str) -> None:
    """It matters only if the loop may run zero times."""
    sketch = Sketch()
    x, g = sketch.source("x"), sketch.source("g")

    def body(s: Sketch, inside: list[int], graph: int, loop: str) -> list[int]:
        return [s.op("Neg", [inside[1]], CARRIES, graph=graph, loop=loop), inside[1]]

    leaves = sketch.loop([x, g], body, runs=runs)
    _, by_source, _ = told(sketch.snapshot(leaves[0]))
    assert by_source["x"].predicted == predicted
    if runs:
        assert by_source["x"].cause == "replaced_each_iteration"


def test_assigned_values_reach_later_reads_without_a_gradient() -> None:
    sketch = Sketch()
    x = sketch.source("x")
    handle = sketch.op("VarHandleOp", dtype="resource")
    sketch.op("AssignVariableOp", [handle, x], outputs=0)
    read = sketch.op("ReadVariableOp", [handle], CARRIES)
    _, by_source, barriers = told(sketch.snapshot(read))
    assert by_source["x"].predicted == "none-blocked"
    assert barriers[by_source["x"].barriers[0]].cause == "assigned"


def test_a_barrier_met_in_every_iteration_of_an_unrolled_loop_is_one_with_a_count() -> None:
    sketch = Sketch(control_flow="eager")
    x = sketch.source("x")
    ends = [sketch.op("StopGradient", [x], RETURNS_NONE) for _ in range(5)]
    sketch.stacks[1:6] = [sketch.stacks[1]] * 5
    total = ends[0]
    for end in ends[1:]:
        total = sketch.op("AddV2", [total, end], CARRIES_BOTH)
    flow, by_source, _ = told(sketch.snapshot(total))
    assert by_source["x"].barriers == ("b1",)
    (barrier,) = flow.barriers
    assert barrier.count == 5


def test_the_nearer_and_cheaper_cause_is_told_before_plumbing() -> None:
    """Shapes and conditions also lead to the loss; the blame must not land on them."""
    sketch = Sketch()
    x = sketch.source("x")
    shape = sketch.op("Shape", [x], RETURNS_NONE, dtype="int32")
    rounded = sketch.op("Round", [x], RETURNS_NONE)
    loss = sketch.op("Reshape", [rounded, shape], CARRIES)
    _, by_source, barriers = told(sketch.snapshot(loss))
    assert [barriers[b].op_type for b in by_source["x"].barriers] == ["Round"]
