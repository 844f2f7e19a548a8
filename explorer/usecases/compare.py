"""Several strategies on the same problem: verdicts first, then times taken in turns, then what else each can do.

Every run has a process of its own, so a strategy that fails or crashes costs the others nothing. The rounds of timing
go through all strategies one after the other: a machine that is busy for a while slows all of them alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from explorer.model.case import BadInput, Case
from explorer.model.comparison import Comparison, Sweep, Trial
from explorer.rules.compare import recommend, row_of
from explorer.strategies.catalogue import get_strategy
from explorer.strategies.strategy import Strategy
from explorer.usecases.explore import Starter, explore_case

REFERENCE = "nested_while_loop"
ROUNDS = 3

Make = Callable[[str], Case]
Watch = Callable[[Comparison, str], None]


def compare(
    keys: Sequence[str], make: Make, engine: Starter, watch: Watch | None = None, sweep: Sweep | None = None
) -> Comparison:
    """Run everything. ``make`` gives the case of a strategy, or refuses; ``watch`` is told after every run."""
    found = Comparison((), "", "", "", 0, 0)
    for found, doing in stepwise(keys, make, engine, sweep):
        if watch is not None:
            watch(found, doing)
    return found


def stepwise(
    keys: Sequence[str], make: Make, engine: Starter, sweep: Sweep | None = None
) -> Iterator[tuple[Comparison, str]]:
    """After each run what is known by then, and what comes next in words."""
    cases, trials = dict[str, Case](), dict[str, Trial]()
    for key in keys:
        try:
            cases[key] = make(key)
            trials[key] = Trial(key)
        except BadInput as refusal:
            trials[key] = Trial(key, refusal=str(refusal))
    plan = list(_plan(cases, sweep))
    for done, step in enumerate(plan):
        yield replace(_judged(keys, cases, trials, done, len(plan)), sweep=sweep), step.doing
        trials[step.key] = _taken(trials[step.key], step, engine)
    yield replace(_judged(keys, cases, trials, len(plan), len(plan)), sweep=sweep), ""


@dataclass(frozen=True)
class _Step:
    """One run; ``into`` is the field of the trial that it fills."""

    key: str
    doing: str
    case: Case
    into: Literal["explored", "timed", "opened", "compiled", "swept"]
    size: int = 0


def _plan(cases: dict[str, Case], sweep: Sweep | None) -> Iterator[_Step]:
    for key, case in cases.items():
        yield _Step(key, f"exploring {key}", replace(case, second_order=True), "explored")
    plain = {key: replace(case, speed_only=True) for key, case in cases.items()}
    for number in range(ROUNDS):
        for key, case in plain.items():
            yield _Step(key, f"timing {key}, round {number + 1} of {ROUNDS}", case, "timed")
    for key, case in plain.items():
        yield _Step(key, f"opening the dimensions of {key}", _opened(get_strategy(key), case), "opened")
    for key, case in plain.items():
        if get_strategy(key).way != "tf1":
            yield _Step(key, f"compiling {key}", _compiled(case), "compiled")
    for size in sweep.sizes if sweep else ():
        for key, case in plain.items():
            resized = _resized(get_strategy(key), case, sweep.dim if sweep else "", size)
            yield _Step(key, f"timing {key} with {size} in {sweep.dim if sweep else ''}", resized, "swept", size)


def _taken(trial: Trial, step: _Step, engine: Starter) -> Trial:
    """The trial with one more run in it; what could not even run once is not run again."""
    if step.into != "explored" and not _ran(trial):
        return trial
    found = explore_case(step.case, engine)
    value: Any = found
    if step.into == "timed":
        value = (*trial.timed, found)
    elif step.into == "swept":
        value = (*trial.swept, (step.size, found))
    changes: dict[str, Any] = {step.into: value}
    return replace(trial, **changes)


def _ran(trial: Trial) -> bool:
    return trial.explored is not None and trial.explored.outcome == "done"


def _opened(strategy: Strategy, case: Case) -> Case:
    """With every dimension None but that of which the weights are made."""
    given = case.inputs[0]
    dims = zip(strategy.dims, given.size or (), strict=True)
    return replace(case, inputs=(replace(given, shape=tuple(n if dim == "features" else None for dim, n in dims)),))


def _compiled(case: Case) -> Case:
    given = case.inputs[0]
    return replace(case, way="xla", inputs=(replace(given, shape=given.size),))


def _resized(strategy: Strategy, case: Case, dim: str, size: int) -> Case:
    """With another size in one dimension, in the signature too where that fixes it."""
    given = case.inputs[0]
    places = [size if each == dim else None for each in strategy.dims]
    sizes = tuple(new or old for new, old in zip(places, given.size or (), strict=True))
    shape = tuple(new if new and old else old for new, old in zip(places, given.shape or (), strict=True))
    return replace(case, inputs=(replace(given, shape=shape, size=sizes),))


def _judged(keys: Sequence[str], cases: dict[str, Case], trials: dict[str, Trial], done: int, total: int) -> Comparison:
    reference = _reference(keys, trials)
    rows = []
    for key in keys:
        strategy = get_strategy(key)
        dtype = str(dict(cases[key].options).get("dtype", strategy.dtype)) if key in cases else strategy.dtype
        base = trials.get(reference)
        way = (cases[key].way if key in cases else None) or strategy.way
        rows.append(row_of(trials[key], strategy.title, strategy.family, way, base, strategy.comparable, dtype))
    recommended, reason = recommend(rows) if done == total else ("", "")
    return Comparison(tuple(rows), reference, recommended, reason, done, total)


def _reference(keys: Sequence[str], trials: dict[str, Trial]) -> str:
    """The hand-written loops where they are among the strategies, else the first that computes the same function."""
    able = [key for key in keys if get_strategy(key).comparable and _ran(trials[key])]
    return REFERENCE if REFERENCE in able else able[0] if able else ""
