"""The first bad iteration: where NaN, Inf or underflow begins, in the order in which TensorFlow computes.

An inner iteration comes before the outer one that holds it going on, and after it going back. Of a bad number, the op
that made it is told by ``Exploration.numerics``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from explorer.model.graph import Snapshot
from explorer.model.probes import Direction, Probe, ProbeRun
from explorer.model.verdict import BadNumber, Exploration
from explorer.rules.sentence import place
from explorer.rules.trends import LEAST, travel
from explorer.rules.watched import around, dtype_of, loop_line

BadKind = Literal["nan", "inf", "underflow"]

_WORDS: dict[BadKind, str] = {"nan": "NaN begins", "inf": "Inf begins", "underflow": "Underflow to zero begins"}


@dataclass(frozen=True)
class FirstBad:
    """``at`` holds the iteration of every enclosing loop, outermost first, and last that of the loop itself."""

    kind: BadKind
    probe: Probe
    at: tuple[int, ...]
    sentence: str


def first_bad(exploration: Exploration) -> FirstBad | None:
    """The first bad iteration; NaN and Inf before underflow, forward before backward."""
    snapshot = exploration.snapshot
    if snapshot is None:
        return None
    met: list[tuple[BadKind, Probe, tuple[int, ...]]] = []
    for probe in exploration.probes:
        for run in probe.runs:
            met += [(kind, probe, (*run.outer, step)) for kind, step in _met(run, probe, exploration)]
    if not met:
        return None
    kind, probe, at = min(met, key=_order)
    return FirstBad(kind, probe, at, _sentence(exploration, snapshot, kind, probe, at))


def _order(found: tuple[BadKind, Probe, tuple[int, ...]]) -> tuple[bool, bool, tuple[float, ...]]:
    kind, probe, at = found
    back = probe.direction == "backward"
    when = tuple(-float(step) for step in at) if back else tuple(map(float, at))
    # a shorter index is an outer iteration: the end of what lies inside it, or its beginning when going back
    return kind == "underflow", back, (*when, -math.inf if back else math.inf)


def _met(run: ProbeRun, probe: Probe, exploration: Exploration) -> Iterator[tuple[BadKind, int]]:
    """What this run meets first: a number that is not finite, and an underflow."""
    series = travel(run, probe.direction)
    for step, norm in series:
        kind = _kind(run, step, norm)
        if kind is not None:
            yield kind, step
            break
    lost = _underflow(series, LEAST[dtype_of(exploration, probe)])
    if lost is not None:
        yield "underflow", lost


def _kind(run: ProbeRun, step: int, norm: float) -> BadKind | None:
    health = run.health
    if math.isnan(norm) or (health is not None and health.nans[step]):
        return "nan"
    return "inf" if math.isinf(norm) or (health is not None and health.infs[step]) else None


def _underflow(series: list[tuple[int, float]], least: float) -> int | None:
    """The step at which a shrinking norm is zero because the next one would be too small for its type."""
    for (_, before), (_, last), (step, norm) in zip(series, series[1:], series[2:], strict=False):
        if norm == 0.0 and 0.0 < last < before and last * (last / before) < 8 * least:
            return step
    return None


def _sentence(exploration: Exploration, snapshot: Snapshot, kind: BadKind, probe: Probe, at: tuple[int, ...]) -> str:
    thing = "gradient with respect to" if probe.direction == "backward" else "value of"
    made = _maker(exploration, snapshot, kind, probe.direction)
    where = at_words(snapshot, probe.loop, at)
    return f"{_WORDS[kind]} in the {probe.direction} pass at {where}, in the {thing} {probe.name}{made}."


def at_words(snapshot: Snapshot, loop_id: str, at: tuple[int, ...]) -> str:
    """``iteration 3 of Keras RNN, line 31 (iteration 1 of map_fn, line 30)``."""
    outer = around(snapshot, loop_id)[: len(at) - 1]
    inner = f"iteration {at[-1]} of {loop_line(snapshot, loop_id)}"
    rest = [f"iteration {step} of {loop_line(snapshot, loop)}" for loop, step in zip(outer, at, strict=False)]
    return f"{inner} ({', '.join(reversed(rest))})" if rest else inner


def _maker(exploration: Exploration, snapshot: Snapshot, kind: BadKind, direction: Direction) -> str:
    bad = next((each for each in exploration.numerics if each.phase == direction), None)
    if kind == "underflow" or bad is None:
        return ""
    line = place(bad.location)
    where = f", {line}" if line else ""
    return f"; {'NaN' if bad.kind == 'nan' else 'Inf'} was first made by {bad.op_type}{where}, {_inside(snapshot, bad)}"


def _inside(snapshot: Snapshot, bad: BadNumber) -> str:
    return f"in {loop_line(snapshot, bad.loop)}" if bad.loop else "outside all loops"
