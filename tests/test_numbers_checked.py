"""Gradients against finite differences: right, wrong, cut, and what cannot be judged."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from explorer.client import Engine
from explorer.model.case import WAYS, Way
from explorer.model.verdict import NumberCheck
from tests.numbers_run import explored

pytestmark = pytest.mark.tensorflow


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


def checks(engine: Engine, program: str, way: Way) -> dict[str, NumberCheck]:
    found = explored(engine, program, way, check_numbers=True)
    assert not found.notes
    return {check.source: check for check in found.number_checks}


@pytest.mark.parametrize("way", WAYS)
def test_a_finite_wrong_gradient_is_found(engine: Engine, way: Way) -> None:
    """If TensorFlow mends cumprod, its gradient is [9, 0, 0] and the check agrees."""
    found = explored(engine, "cumprod", way, check_numbers=True)
    (check,) = found.number_checks
    assert found.run is not None
    assert check.agrees is (found.run.measurements[0].measured == "finite")
    assert check.coordinates == 3
    assert "9" in check.sentence or check.agrees


@pytest.mark.parametrize("way", WAYS)
def test_cut_sources(engine: Engine, way: Way) -> None:
    found = checks(engine, "cut", way)
    assert found["x"].agrees is True
    assert found["steps"].agrees is True  # a staircase: its derivative is zero where it is not standing on an edge
    assert found["w"].agrees is False
    assert "the function does depend on w (finite difference" in found["w"].sentence


@pytest.mark.parametrize("way", WAYS)
def test_loops_agree(engine: Engine, way: Way) -> None:
    assert [check.agrees for check in checks(engine, "scan", way).values()] == [True, True]


@pytest.mark.parametrize(
    ("program", "reason"), [("random", "not deterministic"), ("half", "float16"), ("infinite_input", "not finite")]
)
def test_what_cannot_be_judged_says_why(engine: Engine, program: str, reason: str) -> None:
    (check,) = checks(engine, program, "graph").values()
    assert check.agrees is None
    assert reason in check.sentence


def test_a_corner_is_not_called_wrong(engine: Engine) -> None:
    found = checks(engine, "corner", "graph")
    assert found["corner"].agrees is None
    assert "not smooth" in found["corner"].sentence
    assert found["w"].agrees is True
    assert found["w"].coordinates == 2


def test_double_precision_finds_a_thousandth(engine: Engine) -> None:
    (check,) = checks(engine, "double", "graph").values()
    assert check.agrees is False
    assert check.error == pytest.approx(1e-3, rel=0.01)
