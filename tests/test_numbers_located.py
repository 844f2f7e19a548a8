"""Where NaN and Inf begin: op, loop, line and cause, in every way."""

from __future__ import annotations

import pytest

from explorer.client import Engine
from explorer.model.case import WAYS, Way
from tests.numbers_run import engine, explored, marked  # noqa: F401 - engine is a fixture

pytestmark = pytest.mark.tensorflow

LOCATED = [
    ("sqrt", "backward", "Sqrt", "sqrt_at_zero"),
    ("growing", "forward", "Exp", "overflow"),
    ("where_trap", "forward", "Log", "where_trap"),
    ("masked_root", "backward", "Sqrt", "where_trap"),
]


@pytest.mark.parametrize("way", ["graph", "eager", "tf1"])
@pytest.mark.parametrize(("program", "phase", "op", "cause"), LOCATED)
def test_the_first_bad_number(engine: Engine, program: str, phase: str, op: str, cause: str, way: Way) -> None:  # noqa: F811
    found = explored(engine, program, way)
    assert found.notes == ()
    (bad,) = found.numerics
    assert (bad.phase, bad.op_type, bad.cause) == (phase, op, cause)
    assert bad.location is not None
    assert bad.location.line == marked(program)
    loops = [loop.id for loop in found.snapshot.loops] if found.snapshot else []
    assert [bad.loop] == (loops or [""])


def test_what_grows_is_said_to_grow(engine: Engine) -> None:  # noqa: F811
    (bad,) = explored(engine, "growing", "graph").numerics
    assert "in iteration 2 (counted from 0); the 2 before were finite" in bad.sentence


def test_under_xla_the_plain_graph_is_watched_and_that_is_said(engine: Engine) -> None:  # noqa: F811
    (bad,) = explored(engine, "where_trap", "xla").numerics
    assert bad.cause == "where_trap"
    assert "plain graph" in bad.sentence


@pytest.mark.parametrize("way", WAYS)
def test_a_bad_input_is_blamed_itself(engine: Engine, way: Way) -> None:  # noqa: F811
    (bad,) = explored(engine, "infinite_input", way).numerics
    assert (bad.cause, bad.op_name) == ("input_not_finite", "x")


def test_good_numbers_are_not_looked_at(engine: Engine) -> None:  # noqa: F811
    assert explored(engine, "scan", "graph").numerics == ()
