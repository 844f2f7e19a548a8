"""How a gradient, or a value, changes from iteration to iteration: the rate per step, and one sentence about it.

A gradient travels from the last iteration to the first, a value from the first to the last; steps are counted that way.
The rate is the slope of the logarithm of the norms, fitted by least squares over all runs at once with a level of its
own for each run, so that neither a scale nor a run of another length changes it. Norms that are zero, NaN, infinite or
so small that the type can hardly hold them end the range of a run; zeros before the first value that is not zero are
passed over (a state whose last value nobody reads).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from explorer.model.probes import Direction, Probe, ProbeRun

Kind = Literal["vanishing", "exploding", "steady", "uneven", "dead", "bad", "unknown"]
Series = list[tuple[int, float]]
"""Iterations with their norms, in the order of travel."""

LEAST = {"float16": 6e-8, "bfloat16": 9.2e-41, "float32": 1.4e-45, "float64": 4.9e-324}
"""The smallest positive number of each type, subnormal ones included."""

FAR = 1e-3
"""A gradient below this share of its start, or above its inverse, counts as gone or run away."""

CUT = "No gradient leads from one iteration to the one before: its path through the loop's body is cut."

_STEADY = math.log(1.2)
_WHOLE = math.log(10)
_SUBJECT: dict[Direction, str] = {"backward": "Going back, the gradient", "forward": "Going forward, the value"}
_THING: dict[Direction, str] = {"backward": "gradient", "forward": "value"}


@dataclass(frozen=True)
class Trend:
    """``rate`` is the factor per iteration in the direction of travel, None where nothing could be fitted.

    ``fitted`` are the lowest and the highest iteration that the fit used, ``runs`` how many runs. ``short`` says the
    same in a few words. ``reached``: the runs themselves, not only the rate, lead below (above) FAR of the start.
    """

    kind: Kind
    sentence: str
    short: str = ""
    rate: float | None = None
    fitted: tuple[int, int] | None = None
    runs: int = 0
    reached: bool = False


def trend(probe: Probe, dtype: str = "float32", carried: bool = True) -> Trend:
    """What a probe shows. ``carried``: an iteration's value comes from the one before (a state, not a list's items)."""
    if probe.unobserved:
        return Trend("unknown", f"Not observed: {probe.unobserved}")
    every = [travel(run, probe.direction) for run in probe.runs if run.norms]
    if not every:
        return Trend("unknown", "No iteration was seen.")
    bad = _bad(every, probe.direction)
    if bad is not None:
        return bad
    if probe.cut:
        return Trend("dead", CUT, "cut in every iteration")
    thing = _THING[probe.direction]
    living = [series for series in every if any(norm for _, norm in series)]
    if not living:
        return Trend("dead", f"The {thing} is exactly zero at every iteration.", "exactly zero")
    if not carried:
        return _apart(living, len(every), thing)
    return _fitted(living, every, probe.direction, 8 * LEAST.get(dtype, LEAST["float32"]))


def travel(run: ProbeRun, direction: Direction) -> Series:
    """The norms of a run in the order in which they arise."""
    series = list(enumerate(run.norms))
    return series[::-1] if direction == "backward" else series


def number(value: float) -> str:
    """A norm, short: ``0.61``, ``1.2e-07``, ``NaN``."""
    return "NaN" if math.isnan(value) else "Inf" if math.isinf(value) else f"{value:.2g}"


def iterations(first: int, last: int) -> str:
    """``iteration 3`` or ``iterations 3 to 6``, lowest first."""
    low, high = min(first, last), max(first, last)
    return f"iteration {low}" if low == high else f"iterations {low} to {high}"


def _bad(every: Sequence[Series], direction: Direction) -> Trend | None:
    met = [(step, norm) for series in every for step, norm in series if not math.isfinite(norm)]
    if not met:
        return None
    kinds = {math.isnan(norm): "NaN" if math.isnan(norm) else "infinite" for _, norm in met}
    kind = " or ".join(kinds[each] for each in (True, False) if each in kinds)
    hit = sum(any(not math.isfinite(norm) for _, norm in series) for series in every)
    where = iterations(min(step for step, _ in met), max(step for step, _ in met))
    runs = f" in {hit} of {len(every)} runs" if hit < len(every) else f" in each of {hit} runs" if hit > 1 else ""
    return Trend("bad", f"The {_THING[direction]} is {kind} at {where}{runs}.", kind)


def _apart(living: Sequence[Series], total: int, thing: str) -> Trend:
    """Items of a list: each iteration has its own, and none comes from the one before."""
    norms = [norm for series in living for _, norm in series]
    least, most = number(min(norms)), number(max(norms))
    range_ = f"{least}" if least == most else f"between {least} and {most}"
    some = f" in {len(living)} of {total} runs" if len(living) < total else ""
    return Trend("steady", f"Each iteration has a {thing} of its own, {range_}{some}.", f"{thing} {range_}")


def _fitted(living: Sequence[Series], every: Sequence[Series], direction: Direction, floor: float) -> Trend:
    ranges = [meaningful(series, floor) for series in living]
    used = [series for series in ranges if len(series) > 1]
    zeros = _zeros(living, len(every))
    dead = len(zeros) > 0 and all(series[-1][1] == 0.0 for series in living)
    subject = _SUBJECT[direction]
    if not used:
        if dead:
            return Trend("dead", f"{subject} is exactly zero{zeros}.", "exactly zero")
        return Trend("unknown", f"Too few iterations to tell a trend{'; exactly zero' + zeros if zeros else ''}.")
    rate, fits = _slope(used)
    steps = [step for series in used for step, _ in series]
    span = (min(steps), max(steps))
    length = max(len(series) for series in used) - 1
    kind = _kind(rate, length, fits)
    how = f", fitted on {iterations(*span)}" + (f" of {len(used)} runs" if len(used) > 1 else "")
    factor = math.exp(rate)
    reached = _reached(kind, used)
    told = _told(kind, factor, used) + how + _far(kind, rate, used, reached)
    rest = f". It is exactly zero{zeros}" if zeros else ""
    short = f"{_THING[direction]} × {_factor(factor)} per iteration" if kind != "uneven" else "no steady rate"
    if dead:
        return Trend("dead", f"{subject} {told}{rest}.", f"zero{zeros}", factor, span, len(used))
    return Trend(kind, f"{subject} {told}{rest}.", short, factor, span, len(used), reached is not None)


def meaningful(series: Series, floor: float) -> Series:
    """The stretch of a run that a rate can be read from."""
    start = next((place for place, (_, norm) in enumerate(series) if norm != 0.0), len(series))
    kept: Series = []
    for step, norm in series[start:]:
        if not (math.isfinite(norm) and norm > floor):
            break
        kept.append((step, norm))
    return kept


def _slope(used: Sequence[Series]) -> tuple[float, bool]:
    """The logarithm of the factor per step, and whether a constant factor describes the runs at all."""
    products = squares = total = 0.0
    count = 0
    for series in used:
        logs = [math.log(norm) for _, norm in series]
        middle, mean = (len(logs) - 1) / 2, math.fsum(logs) / len(logs)
        products += math.fsum((place - middle) * (log - mean) for place, log in enumerate(logs))
        squares += math.fsum((place - middle) ** 2 for place in range(len(logs)))
        total += math.fsum((log - mean) ** 2 for log in logs)
        count += len(logs)
    rate = products / squares
    spread = math.sqrt(max(total - rate * products, 0.0) / count)  # of the logs round the fitted lines
    return rate, spread < math.log(2) or rate * products > total / 2


def _kind(rate: float, length: int, fits: bool) -> Kind:
    if not fits:
        return "uneven"
    if abs(rate) < _STEADY and abs(rate) * length < _WHOLE:
        return "steady"
    return "vanishing" if rate < 0 else "exploding"


def _told(kind: Kind, factor: float, used: Sequence[Series]) -> str:
    norms = [norm for series in used for _, norm in series]
    if kind == "uneven":
        return f"goes up and down between {number(min(norms))} and {number(max(norms))}, with no steady rate"
    if kind == "steady":
        return f"stays about as large: a factor of {_factor(factor)} per iteration"
    verb = "shrinks" if kind == "vanishing" else "grows"
    return f"{verb} by a factor of {_factor(factor)} per iteration"


def _factor(factor: float) -> str:
    """Near one the second place behind the point tells; far from it two digits do."""
    return f"{factor:.2f}".rstrip("0").rstrip(".") if 0.1 <= factor < 10 else f"{factor:.2g}"


def _reached(kind: Kind, used: Sequence[Series]) -> int | None:
    """After how many iterations it is gone or has run away in every run, None where it is not."""
    if kind not in ("vanishing", "exploding"):
        return None
    seen = [steps for series in used if (steps := _steps_to(series, 1.0 if kind == "vanishing" else -1.0)) is not None]
    return max(seen) if len(seen) == len(used) else None


def _far(kind: Kind, rate: float, used: Sequence[Series], reached: int | None) -> str:
    """When it is gone or has run away: as seen, or what the rate leads to where that is not far ahead."""
    if kind not in ("vanishing", "exploding"):
        return ""
    of_start = "below 1e-3 of its start" if kind == "vanishing" else "above 1000 times its start"
    if reached is not None:
        return f"; after {_counted(reached)} {of_start}"
    ahead = math.ceil(abs(math.log(FAR) / rate))
    length = max(len(series) for series in used)
    return f"; at this rate {of_start} after {_counted(ahead)}" if ahead <= 10 * length else ""


def _steps_to(series: Series, sign: float) -> int | None:
    start = math.log(series[0][1])
    return next((n for n, (_, norm) in enumerate(series) if sign * (math.log(norm) - start) < math.log(FAR)), None)


def _counted(count: int) -> str:
    return f"{count} iteration{'' if count == 1 else 's'}"


def _zeros(living: Sequence[Series], total: int) -> str:
    """Where the far end is exactly zero, and in how many runs everything is."""
    tails = [[step for step, _ in series[_alive(series) :]] for series in living]
    ended = [steps for steps in tails if steps]
    parts = []
    if ended:
        steps = [step for tail in ended for step in tail]
        runs = f" in {len(ended)} of {total} runs" if len(ended) < total else ""
        parts.append(f" at {iterations(min(steps), max(steps))}{runs}")
    if len(living) < total:
        parts.append(f" throughout {total - len(living)} of {total} runs")
    return " and".join(parts)


def _alive(series: Series) -> int:
    """How many steps it takes until only zeros are left."""
    return max(place for place, (_, norm) in enumerate(series) if norm) + 1
