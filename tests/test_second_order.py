"""The gradient of the gradient, against derivatives written down by hand; a TF1 loop refuses, and says what to do."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from explorer.client import Engine
from explorer.model.case import Way
from tests.numbers_run import explored

pytestmark = pytest.mark.tensorflow


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


W = 1.5
# y = x3 + w x2 + w^2 x1 at x = (1, 2, 3): squared norms sum to (x2 + 2 w x1)^2 + 1 + w^2 + w^4
OF_W = 2 * (2 + 2 * W) * 2 + 2 * W + 4 * W**3
OF_X = math.hypot(2 * (2 + 2 * W) * 2 * W, 2 * (2 + 2 * W))


@pytest.mark.parametrize("way", ["eager", "graph", "xla"])
def test_it_is_the_derivative_of_the_squared_norms(engine: Engine, way: Way) -> None:
    second = explored(engine, "scan", way, second_order=True).second_order
    assert second is not None
    assert second.failure is None
    assert {m.source: m.norm for m in second.measurements} == {"x": pytest.approx(OF_X), "w": pytest.approx(OF_W)}


def test_a_source_that_is_cut_stays_none(engine: Engine) -> None:
    second = explored(engine, "cut", "graph", second_order=True).second_order
    assert second is not None
    assert [m.measured for m in second.measurements] == ["finite", "none", "none"]


def test_a_tf1_loop_refuses_and_says_what_to_do(engine: Engine) -> None:
    found = explored(engine, "scan", "tf1", second_order=True)
    assert found.second_order is not None
    failure = found.second_order.failure
    assert failure is not None
    assert "enable_control_flow_v2" in failure.hint
    assert failure.location is not None
    assert failure.location.file.endswith("number_programs.py")


def test_without_a_loop_tf1_differentiates_twice(engine: Engine) -> None:
    second = explored(engine, "half", "tf1", second_order=True).second_order
    assert second is not None
    assert second.measurements[0].norm == pytest.approx(8 * math.sqrt(5))
