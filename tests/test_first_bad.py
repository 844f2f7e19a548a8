"""Where NaN, Inf or underflow begins, in the order of computation."""

from __future__ import annotations

import math
from dataclasses import replace

from explorer.model.graph import Location
from explorer.model.probes import Probe, ProbeRun
from explorer.model.verdict import BadNumber, Exploration
from explorer.rules.first_bad import first_bad
from tests.watched_samples import INNER, OUTER, falling, probe, watched

NAN = math.nan


def met(*probes: Probe, **changes: object) -> tuple[str, tuple[int, ...]] | None:
    found = first_bad(replace(watched(), probes=probes, **changes))
    return (found.kind, found.at) if found else None


def test_a_healthy_run_has_none() -> None:
    assert first_bad(watched()) is None
    assert first_bad(replace(watched(), snapshot=None)) is None


def test_going_on_the_lowest_iteration_is_first_and_going_back_the_highest() -> None:
    runs = ((1.0, NAN, NAN), (NAN, NAN, NAN))
    assert met(probe(*runs, direction="forward")) == ("nan", (0, 1))
    assert met(probe(*runs)) == ("nan", (1, 2))


def test_an_inner_iteration_lies_inside_the_outer_one() -> None:
    outer = Probe(OUTER, "s", "forward", 2, -1, (ProbeRun((), (NAN, NAN)),))
    inner = probe((1.0, NAN), (NAN, NAN), direction="forward")
    assert met(outer, inner) == ("nan", (0, 1))  # the outer value is made from what the inner loop gives
    back = [replace(each, direction="backward") for each in (outer, inner)]
    assert met(*back) == ("nan", (1,))  # going back it is the other way round


def test_forward_comes_before_backward_and_a_bad_number_before_underflow() -> None:
    gone = probe((0.0, 1e-40, 1e-20, 1.0))
    assert met(gone) == ("underflow", (0, 0))
    bad = probe((NAN, 1.0, 1.0, 1.0), name="c")
    assert met(gone, bad) == ("nan", (0, 0))
    assert met(gone, bad, replace(bad, direction="forward", runs=(ProbeRun((0,), (1.0, math.inf)),))) == ("inf", (0, 1))


def test_a_cut_is_no_underflow() -> None:
    assert met(probe((0.0, 0.0, 0.1, 0.2))) is None
    assert met(probe(falling(1e-9, 6))) is None


def test_the_sentence_names_every_loop_and_the_op_that_made_it() -> None:
    made = BadNumber("nan", "backward", "Sqrt", "s", INNER, Location("model.py", 14), "sqrt_at_zero", "NaN began.")
    exploration: Exploration = replace(watched(nan=(1, 3)), numerics=(made,))
    found = first_bad(exploration)
    assert found is not None
    assert found.sentence == (
        "NaN begins in the backward pass at iteration 3 of Keras LSTM, line 12 (iteration 1 of map_fn, line 20), in "
        "the gradient with respect to h; NaN was first made by Sqrt, model.py:14, in Keras LSTM, line 12."
    )
