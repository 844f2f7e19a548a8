"""The rate per iteration and what is said about it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.rules.trends import CUT, trend
from explorer.rules.watched import trend_of
from tests.watched_samples import falling, probe, watched

RATES = st.floats(0.05, 20.0)
STEPS = st.integers(2, 30)
NORMS = st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=20)


@given(RATES, STEPS)
def test_a_geometric_series_has_its_own_rate(rate: float, steps: int) -> None:
    assert trend(probe(falling(rate, steps))).rate == pytest.approx(rate)


@given(RATES, st.lists(STEPS, min_size=1, max_size=5), st.floats(1e-3, 1e3))
def test_runs_of_other_lengths_and_scales_share_it(rate: float, lengths: list[int], scale: float) -> None:
    runs = [falling(rate, steps, scale**at) for at, steps in enumerate(lengths)]
    assert trend(probe(*runs)).rate == pytest.approx(rate)


@given(NORMS, st.floats(1e-3, 1e3))
def test_a_scale_changes_nothing_but_the_numbers(norms: list[float], scale: float) -> None:
    plain, scaled = trend(probe(norms)), trend(probe([scale * norm for norm in norms]))
    assert scaled.rate == pytest.approx(plain.rate)
    assert (scaled.fitted, scaled.runs) == (plain.fitted, plain.runs)


@given(NORMS)
def test_the_other_way_round_the_rate_is_the_inverse(norms: list[float]) -> None:
    back, on = trend(probe(norms)), trend(probe(norms, direction="forward"))
    assert back.rate is not None
    assert on.rate == pytest.approx(1 / back.rate)


@given(NORMS, st.integers(1, 5))
def test_zeros_at_both_ends_and_dead_runs_are_no_part_of_the_fit(norms: list[float], zeros: int) -> None:
    plain = trend(probe(norms))
    padded = trend(probe([0.0] * zeros + norms + [0.0] * zeros, [0.0] * 4))
    assert padded.rate == pytest.approx(plain.rate)
    assert padded.fitted == (zeros, zeros + len(norms) - 1)
    assert "exactly zero" in padded.sentence


@given(RATES.filter(lambda rate: abs(math.log(rate)) > 0.2), st.integers(4, 40))
def test_what_is_said_of_a_thousandth_is_true(rate: float, steps: int) -> None:
    norms = falling(rate, steps)
    found = trend(probe(norms))
    assert found.kind == ("vanishing" if rate < 1 else "exploding")
    if "; after " in found.sentence:  # seen, not expected
        after = int(found.sentence.partition("; after ")[2].split()[0])
        ratio = norms[-1 - after] / norms[-1]
        assert ratio < 1e-3 if rate < 1 else ratio > 1e3
        before = norms[-after] / norms[-1]
        assert before >= 1e-3 if rate < 1 else before <= 1e3


@pytest.mark.parametrize(
    ("norms", "kind", "words"),
    [
        ((4.0, 2.0, 1.0), "exploding", "grows by a factor of 2 per iteration, fitted on iterations 0 to 2"),
        (falling(0.61, 13), "vanishing", "shrinks by a factor of 0.61 per iteration, fitted on iterations 0 to 12"),
        (falling(0.3, 8), "vanishing", "; after 6 iterations below 1e-3 of its start"),
        (falling(0.95, 8), "steady", "stays about as large"),
        (falling(0.95, 80), "vanishing", "a factor of 0.95"),
        ((1e-8, 1.0, 1e-8, 1.0, 1e-8, 1.0), "uneven", "no steady rate"),
        ((0.0, 0.0, 0.1, 1.0), "dead", "exactly zero at iterations 0 to 1"),
        ((0.0, 0.0), "dead", "exactly zero at every iteration"),
        ((math.nan, math.nan, 1.0), "bad", "NaN at iterations 0 to 1"),
        ((1.0, math.inf, 1.0), "bad", "infinite at iteration 1"),
        ((math.inf, math.nan), "bad", "NaN or infinite at iterations 0 to 1"),
        ((1.0,), "unknown", "Too few"),
        ((), "unknown", "No iteration was seen"),
    ],
)
def test_each_kind_in_words(norms: tuple[float, ...], kind: str, words: str) -> None:
    found = trend(probe(norms))
    assert (found.kind, words in found.sentence) == (kind, True), found.sentence


def test_norms_that_the_type_can_hardly_hold_are_left_out() -> None:
    norms = (0.0, 6e-8, 1.2e-7, 1e-5, 1e-4, 1e-3)
    assert trend(probe(norms), "float16").fitted == (3, 5)
    assert trend(probe(norms), "float32").fitted == (1, 5)


def test_items_of_a_list_have_no_rate_and_what_is_not_seen_says_why() -> None:
    exploration = watched()
    items, _, hidden, _ = exploration.probes
    assert trend_of(exploration, items).sentence == "Each iteration has a gradient of its own, between 0.1 and 0.3."
    assert trend_of(exploration, hidden).sentence == "Not observed: inside a fused kernel"


def test_a_path_that_is_cut_in_the_body_is_told_as_such() -> None:
    found = trend(replace(probe((0.0, 0.0, 1.0)), cut=True))
    assert (found.kind, found.sentence) == ("dead", CUT)
