"""From what was run for each strategy to the rows of the comparison, and to one recommendation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import TypeVar

from explorer.model.case import Way
from explorer.model.comparison import Answer, LoopRow, Row, Trial
from explorer.model.speed import GradientSample, Speed
from explorer.model.verdict import Exploration
from explorer.rules.sentence import verdict

Value = TypeVar("Value")

TOLERANCE = {"float32": 1e-4, "float64": 1e-9, "mixed_float16": 2e-2}
"""The largest relative difference that rounding explains, by the type that is computed in."""

_ABILITIES = {"None": "open dimensions", "XLA": "XLA", "2nd order": "a second derivative"}
_OUTCOMES = {
    "raised": "raised", "crashed": "crashed", "timed_out": "hit the time limit", "out_of_memory": "ran out of memory",
    "cancelled": "was cancelled",
}  # fmt: skip


def row_of(
    trial: Trial, title: str, family: str, way: Way, reference: Trial | None, comparable: bool, dtype: str
) -> Row:
    """One row; ``reference`` is the trial whose gradients these must equal, if ``comparable``."""
    explored = trial.explored
    snapshot = explored.snapshot if explored else None
    speeds = _speeds(trial)
    difference = difference_from(reference, trial) if comparable else None
    tolerance = TOLERANCE.get(dtype, TOLERANCE["float32"])
    both, forward = _middle([s.both for s in speeds]), _middle([s.forward for s in speeds])
    return Row(
        strategy=trial.strategy, title=title, family=family, way=way,
        outcome="refused" if trial.refusal else (explored.outcome or "running") if explored else "waiting",
        verdict=trial.refusal or (verdict(explored) if explored and explored.outcome else ""),
        statuses=named((c.source, c.status) for c in explored.conclusions) if explored else {},
        norms=named((m.source, m.norm) for m in explored.run.measurements) if explored and explored.run else {},
        loops=_loops(explored),
        control_flow=snapshot.control_flow if snapshot else None,
        ops=len(snapshot.ops) if snapshot else None,
        difference=difference,
        agrees=None if difference is None else difference <= tolerance,
        rounds=len(speeds),
        repeats=sum(s.repeats for s in speeds),
        build=_middle([s.build for s in speeds]),
        trace=_middle([s.trace for s in speeds if s.trace is not None]),
        first=_middle([s.first for s in speeds]),
        forward=forward,
        backward=None if both is None or forward is None else max(0.0, both - forward),
        memory=_middle([s.memory for s in speeds if s.memory is not None]),
        none_dims=_answer(trial.opened),
        xla=_answer(trial.compiled) if way != "tf1" else Answer("no", "jit_compile is an option of tf.function."),
        second_order=_second_order(explored),
        swept=tuple((size, run.speed.both if run.speed else None) for size, run in trial.swept),
        explored=explored,
    )  # fmt: skip


def last(source: str) -> str:
    """The source's own name: layers put theirs in front of it."""
    return source.rpartition("/")[2]


def named(values: Iterable[tuple[str, Value]]) -> dict[str, Value]:
    """Values of sources by the sources' own names; those of further layers are numbered: ``kernel``, ``kernel_2``."""
    found: dict[str, Value] = {}
    times = Counter[str]()
    for source, value in values:
        name = last(source)
        times[name] += 1
        found[name if times[name] == 1 else f"{name}_{times[name]}"] = value
    return found


def difference_from(reference: Trial | None, trial: Trial) -> float | None:
    """The largest relative difference over all sources; None where there is nothing to compare."""
    ours, theirs = _gradients(trial), _gradients(reference) if reference else {}
    if not ours or set(ours) != set(theirs):
        return None
    found = [_relative(ours[name], theirs[name]) for name in ours]
    return max((f for f in found if f is not None), default=None) if None not in found else None


def recommend(rows: Sequence[Row]) -> tuple[str, str]:
    """The strategy to take for this shape, and why, in one sentence; empty where none can be recommended."""
    timed = [row for row in rows if row.healthy and row.agrees and row.step is not None]
    if not timed:
        return "", "No strategy can be recommended: none gave all gradients, equal to the reference's, in time."
    best = min(timed, key=_step)
    near = [row for row in timed if _step(row) <= 1.2 * _step(best)]
    # among equally fast ones: one that also takes open dimensions, XLA and a second derivative, then the quickest trace
    chosen = min(near, key=lambda row: (-_virtues(row), row.trace or 0.0, _step(row)))
    others = sorted(_step(row) / _step(chosen) for row in timed if row is not chosen)
    reason = f"{chosen.title} ({chosen.strategy}): a step with gradients takes {1000 * _step(chosen):.1f} ms"
    if len(others) == 1:
        reason += f", the other takes {_times(others[0])} times as long"
    elif others:
        reason += f", the others take {_times(others[0])} to {_times(others[-1])} times as long"
    able = [_ABILITIES[name] for name, answer in chosen.answers.items() if answer.works == "yes"]
    reason += f"; its gradients equal the reference's, and it works with {_listed(able)}." if able else "."
    return chosen.strategy, reason


def _times(factor: float) -> str:
    return f"{factor:.1f}" if factor < 9.95 else f"{factor:.0f}"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _virtues(row: Row) -> int:
    return sum(answer.works == "yes" for answer in row.answers.values())


def _step(row: Row) -> float:
    return row.step or 0.0


def _speeds(trial: Trial | None) -> list[Speed]:
    return [each.speed for each in trial.timed if each.speed is not None] if trial else []


def _middle(values: Sequence[float]) -> float | None:
    return median(values) if values else None


def _gradients(trial: Trial | None) -> dict[str, GradientSample]:
    speeds = _speeds(trial)
    return named((g.source, g) for g in speeds[0].gradients) if speeds else {}


def _relative(one: GradientSample, other: GradientSample) -> float | None:
    if one.shape != other.shape or not one.values or not other.values:
        return None
    size = math.sqrt(sum(v * v for v in other.values))
    apart = math.sqrt(sum((a - b) ** 2 for a, b in zip(one.values, other.values, strict=True)))
    if not math.isfinite(apart):
        return None
    return apart / size if size else (0.0 if apart == 0.0 else math.inf)


def _loops(explored: Exploration | None) -> tuple[LoopRow, ...]:
    if explored is None or explored.snapshot is None:
        return ()
    return tuple(
        LoopRow(loop.id, loop.depth, loop.api, explored.trips.get(loop.id)) for loop in explored.snapshot.loops
    )


def _answer(run: Exploration | None) -> Answer:
    if run is None or run.outcome is None:
        return Answer()
    if run.outcome == "done":
        return Answer("yes")
    return Answer("no", _why(run))


def _why(run: Exploration) -> str:
    failure = run.failure
    ended = _OUTCOMES.get(run.outcome or "", "ended early")
    if failure is None:
        return f"It {ended}."
    sentence = failure.hint or failure.message
    return f"It {ended}: {sentence.strip().splitlines()[0][:240]}" if sentence.strip() else f"It {ended}."


def _second_order(explored: Exploration | None) -> Answer:
    order = explored.second_order if explored else None
    if order is None:
        return Answer()
    if order.failure is not None:
        return Answer("no", (order.failure.hint or order.failure.message).strip().splitlines()[0][:240])
    lost = [last(m.source) for m in order.measurements if m.measured in ("none", "nan", "inf", "raised")]
    return Answer("no", f"No second derivative for {_listed(lost)}.") if lost else Answer("yes")
