"""The text that a person reads at the terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from explorer.cli.text import describe, shape_text, trips_text
from explorer.model.graph import Location
from explorer.model.verdict import BadNumber, Failure, Measurement, NumberCheck, Risk, SecondOrder
from explorer.rules.sentence import verdict
from tests.explorations import BARRIER, SNAPSHOT, died, disagreeing, exploration

CUT = """\
(nested_while_loop, graph: done in 0.71 s)

Loops
  outer    map_fn (While)      model.py:20  3 trips
    inner  while_loop (While)  model.py:12  7 trips in each of 3 runs

Sources
  name  kind      dtype    shape              predicted     measured  status        norm
  x     input     float32  None,None,None,10  none-blocked  none      none-blocked  -
  w     variable  float32  10,4               flows         finite    flows         0.25

Barriers
  b1  integer_dtype at Cast, model.py:12, loop outer/inner
      Keep the values floating point.
"""


def test_a_cut_gradient_is_told_from_verdict_to_remedy() -> None:
    cut = exploration(x="none-blocked")
    assert describe(cut) == f"{verdict(cut)}\n{CUT}"


def test_what_is_not_there_is_left_out() -> None:
    assert "Barriers" not in describe(exploration())
    assert "No loops." in describe(exploration(snapshot=replace(SNAPSHOT, loops=()), trips={}))
    untraced = describe(died("timed_out", traced=False))
    assert "Loops" not in untraced
    assert "Sources" not in untraced
    assert "timed out" in untraced


def test_a_failure_says_what_while_doing_what_and_where() -> None:
    assert "SegmentationFault while running backward: The process ended with signal 11. (model.py:12)" in describe(
        died()
    )


def test_disagreements_and_risks_are_said() -> None:
    assert "Disagreement: x is predicted to flow, and TensorFlow answers None." in describe(disagreeing())
    risk = Risk("opaque", 2, "EagerPyFunc", "outer", None, "The backward pass may raise KeyError.")
    done = exploration()
    assert "Risk: The backward pass may raise KeyError." in describe(
        replace(done, flow=replace(done.flow, risks=(risk,)))
    )


def test_bad_numbers_checks_and_second_order_are_said() -> None:
    place = Location("model.py", 12)
    text = describe(
        exploration(
            numerics=(
                BadNumber("nan", "backward", "Sqrt", "s", "outer/inner", place, "sqrt_at_zero", "NaN began here."),
            ),
            number_checks=(NumberCheck("x", False, 1.0, 3, "x: wrong."), NumberCheck("w", None, None, 0, "w: dark.")),
            second_order=SecondOrder((Measurement("x", "finite", 2.0, 4),)),
        )
    )
    assert "NaN and Inf\n  sqrt_at_zero at Sqrt, model.py:12, loop outer/inner\n      NaN began here.\n" in text
    assert "Finite differences\n  WRONG  x: wrong.\n  -      w: dark.\n" in text
    assert "  x  finite  2\n" in text
    refused = SecondOrder(failure=Failure("probe", "TypeError", "Refused.", place, hint="Port the loop."))
    assert "Second order\n  TypeError while" in describe(exploration(second_order=refused))
    assert "Port the loop." in describe(exploration(second_order=refused))


def test_a_barrier_tells_how_often_and_how_loud() -> None:
    done = exploration(x="none-blocked")
    met = replace(BARRIER, count=21, loud=True, loop="", location=Location("model.py", 3))
    text = describe(replace(done, flow=replace(done.flow, barriers=(met,))))
    assert "b1  integer_dtype at Cast, model.py:3, met 21 times, TensorFlow raises\n" in text


@pytest.mark.parametrize(
    ("runs", "static", "text"),
    [
        ((3,), None, "3 trips"),
        ((1,), 1, "1 trip"),
        ((0,), None, "0 trips"),
        ((7, 7), None, "7 trips in each of 2 runs"),
        ((2, 7, 4), None, "2 to 7 trips in 3 runs"),
        ((), None, "trips not known"),
        (None, 7, "7 trips in the graph"),
        (None, None, "trips not known"),
    ],
)
def test_trips(runs: tuple[int, ...] | None, static: int | None, text: str) -> None:
    assert trips_text(runs, static) == text


@pytest.mark.parametrize(("shape", "text"), [(None, "unknown"), ((), "scalar"), ((None, 10), "None,10")])
def test_shapes(shape: tuple[int | None, ...] | None, text: str) -> None:
    assert shape_text(shape) == text
