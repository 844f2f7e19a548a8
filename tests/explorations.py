"""Explorations written by hand, as a child process would hand them over: a loop in a loop, whole or cut."""

from __future__ import annotations

from dataclasses import replace

from explorer.model.case import Case, InputSpec
from explorer.model.graph import Graph, Location, Loop, Op, Slot, Snapshot, Source, Tensor
from explorer.model.verdict import (
    BackwardRun,
    Barrier,
    Conclusion,
    Disagreement,
    Exploration,
    Failure,
    GradientFlow,
    Measurement,
    Prediction,
    Status,
    Surroundings,
)

CASE = Case("nested_while_loop", (InputSpec("x", (None, None, None, 10), "float32", (3, 5, 7, 10)),))
STACKS = (
    (Location("model.py", 8, "build"),),
    (Location("model.py", 20, "outer"),),
    (Location("model.py", 12, "step"),),
)


def _slot(index: int, name: str, role: str, tensor: int, dtype: str = "float32") -> Slot:
    return Slot(index, name, role, dtype, (None, 4), tensor, tensor, tensor, -1)


SNAPSHOT = Snapshot(
    ops=(
        Op(0, "Placeholder", "x", 0, "", (), (0,), 0),
        Op(1, "ReadVariableOp", "w/read", 0, "", (), (1,), 0),
        Op(2, "Cast", "outer/inner/Cast", 2, "outer/inner", (0,), (2,), 2),
        Op(3, "MatMul", "outer/inner/MatMul", 2, "outer/inner", (2, 1), (3,), 2),
    ),
    tensors=(
        Tensor(0, 0, "float32", (None, None, None, 10), True),
        Tensor(1, 1, "float32", (10, 4), True),
        Tensor(2, 2, "int32", (None, 10), False),
        Tensor(3, 3, "float32", (None, 4), True),
        Tensor(4, 3, "float32", (None, 4), True),
    ),
    graphs=(Graph(0, "root", -1, (0,), (3,)), Graph(1, "body", 3, (), ()), Graph(2, "body", 3, (), ())),
    stacks=STACKS,
    signatures=(),
    loops=(
        Loop("outer", None, 1, "While", "map_fn", 1, 3, (_slot(0, "i", "counter", 2, "int32"),), None, None, 10),
        Loop(
            "outer/inner", "outer", 2, "While", "while_loop", 2, 3,
            (_slot(0, "h", "state", 3), _slot(1, "x", "invariant", 0), _slot(2, "idle", "state", 4)), 7,
        ),
    ),
    sources=(
        Source("x", "input", "float32", (None, None, None, 10), 0),
        Source("w", "variable", "float32", (10, 4), 1),
    ),
    losses=(3,),
    control_flow="v2",
)  # fmt: skip

BARRIER = Barrier(
    "b1", 2, "outer/inner/Cast", "Cast", 0, "outer/inner", "integer_dtype", False, STACKS[2][0],
    "Keep the values floating point.", 0, 2,
)  # fmt: skip


def exploration(x: Status = "flows", w: Status = "flows", **changes: object) -> Exploration:
    """A finished run with these statuses; a source that is blocked has BARRIER on its way."""
    statuses: dict[str, Status] = {"x": x, "w": w}
    cut = {name for name, status in statuses.items() if status in ("none-blocked", "zero-blocked")}
    measured = {
        "none-blocked": "none", "none-disconnected": "none", "not-trainable": "none", "zero-blocked": "zero",
        "zero": "zero", "nan": "nan", "inf": "inf", "raised": "raised", "unobserved": "unobserved",
    }  # fmt: skip
    predicted = {"none-disconnected": "none-disconnected", "not-trainable": "not-trainable"}
    done = Exploration(
        case=CASE,
        outcome="done",
        stage="backward",
        snapshot=SNAPSHOT,
        flow=GradientFlow(
            tuple(
                Prediction(name, "none-blocked", status == "zero-blocked", "integer_dtype", ("b1",))
                if name in cut
                else Prediction(name, predicted.get(status, "flows"), True)
                for name, status in statuses.items()
            ),
            (BARRIER,) if cut else (),
            whole=frozenset({1, 3}) if "x" in cut else frozenset({0, 1, 3}),
            leads=frozenset({0, 1, 2, 3}),
        ),
        run=BackwardRun(
            tuple(
                Measurement(name, measured.get(status, "finite"), 0.25 if status not in measured else None, 40)
                for name, status in statuses.items()
            ),
            1.5,
        ),
        trips={"outer": (3,), "outer/inner": (7, 7, 7)},
        conclusions=tuple(Conclusion(name, status) for name, status in statuses.items()),
        seconds={"start": 0.01, "build": 0.1, "trace": 0.2, "predict": 0.1, "backward": 0.3, "total": 0.71},
        memory={"peak": 512.0},
        surroundings=Surroundings("cpu", {"tensorflow": "2.21.0"}),
        file="model.py",
        way="graph",
    )
    return replace(done, **changes)


def disagreeing() -> Exploration:
    sentence = "x is predicted to flow, and TensorFlow answers None."
    return exploration(disagreements=(Disagreement("x", "flows", "none", sentence),))


def died(outcome: str = "crashed", traced: bool = True) -> Exploration:
    """A run whose child ended while it differentiated, or before it had traced anything."""
    failure = Failure("backward", "SegmentationFault", "The process ended with signal 11.", STACKS[2][0])
    early: dict[str, object] = {} if traced else {"snapshot": None, "flow": None, "trips": {}, "stage": "build"}
    return exploration(outcome=outcome, failure=failure, run=None, conclusions=(), **early)
