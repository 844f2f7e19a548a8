"""Where NaN and Inf begin: op, loop, line and cause, in every way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from explorer.client import Engine
from explorer.model.case import WAYS, Way
from tests.numbers_run import explored, marked

pytestmark = pytest.mark.tensorflow


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


LOCATED = [
    ("sqrt", "backward", "Sqrt", "sqrt_at_zero"),
    ("growing", "forward", "Exp", "overflow"),
    ("where_trap", "forward", "Log", "where_trap"),
    ("masked_slope", "backward", "Acos", "where_trap"),
]


@pytest.mark.parametrize("way", ["graph", "eager", "tf1"])
@pytest.mark.parametrize(("program", "phase", "op", "cause"), LOCATED)
def test_the_first_bad_number(engine: Engine, program: str, phase: str, op: str, cause: str, way: Way) -> None:
    found = explored(engine, program, way)
    assert found.notes == ()
    (bad,) = found.numerics
    assert (bad.phase, bad.op_type, bad.cause) == (phase, op, cause)
    assert bad.location is not None
    assert bad.location.line == marked(program)
    loops = [loop.id for loop in found.snapshot.loops] if found.snapshot else []
    assert [bad.loop] == (loops or [""])


def test_what_grows_is_said_to_grow(engine: Engine) -> None:
    (bad,) = explored(engine, "growing", "graph").numerics
    assert "in iteration 2 (counted from 0); the 2 before were finite" in bad.sentence


def test_under_xla_the_plain_graph_is_watched_and_that_is_said(engine: Engine) -> None:
    (bad,) = explored(engine, "where_trap", "xla").numerics
    assert bad.cause == "where_trap"
    assert "plain graph" in bad.sentence


def test_what_only_xla_makes_is_noted(engine: Engine) -> None:
    found = explored(engine, "masked_root", "xla")
    assert found.run is not None
    assert found.run.measurements[0].measured == "nan"
    assert found.numerics == ()
    assert "under XLA only" in found.notes[0]


@pytest.mark.parametrize("way", WAYS)
def test_a_bad_input_is_blamed_itself(engine: Engine, way: Way) -> None:
    (bad,) = explored(engine, "infinite_input", way).numerics
    assert (bad.cause, bad.op_name) == ("input_not_finite", "x")


def test_good_numbers_are_not_looked_at(engine: Engine) -> None:
    assert explored(engine, "scan", "graph").numerics == ()
