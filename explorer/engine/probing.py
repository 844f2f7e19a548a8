"""The run that watches the iterations: the program once more, after the verdict, which never comes from this run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from explorer.engine import again, probe_session
from explorer.engine.loop_costs import open_sizes, tell_costs
from explorer.engine.loop_probe import LoopProbe
from explorer.engine.probe_eager import in_eager
from explorer.engine.probe_series import Series, by_site
from explorer.engine.probe_sites import WatchedLoop, is_named
from explorer.engine.progress import Progress
from explorer.engine.sources import measure
from explorer.engine.targets import Program
from explorer.model.case import Case
from explorer.model.graph import Snapshot
from explorer.model.verdict import BackwardRun

Load = Callable[[], Program]
Trips = dict[str, tuple[int, ...]]
XLA = "XLA compiles this loop, and nothing can be reported from inside: explore it with --way graph."
_WHAT = "The run that watches the iterations"


def in_graph(
    case: Case, load: Load, arrays: Sequence[np.ndarray], count: Callable[[], Trips], progress: Progress
) -> None:
    """Probe a program inside ``tf.function``. ``count`` measures the trips where this run does not tell them."""
    sizes = open_sizes(progress.stored)
    _probe(case, lambda snapshot: watched_in_graph(case, load, arrays, snapshot, sizes), count, progress)
    note_unknown_ops(case, progress)


def in_session(
    case: Case, load: Load, arrays: Sequence[np.ndarray], count: Callable[[], Trips], progress: Progress
) -> None:
    """Probe a TF1 program in a session."""
    _probe(case, lambda snapshot: probe_session.in_session(case, load, arrays, snapshot), count, progress)
    if case.probe_ops:
        progress.note("--probe-op is not for TF1 frames: run the program with --way graph.")


def _probe(
    case: Case,
    run: Callable[[Snapshot], tuple[Series, BackwardRun]],
    count: Callable[[], Trips],
    progress: Progress,
) -> None:
    snapshot = progress.snapshot
    assert snapshot is not None
    trips: Trips = {}

    def watch() -> None:
        series, gradients = run(snapshot)
        compare_gradients(progress.run, gradients, progress)
        progress.tell("probes", series.probes(case.probe_ops))
        trips.update(series.trips())
        tell_costs(progress.stored, progress, series.bytes_stored())

    progress.enter("probe")
    progress.aside(_WHAT, watch)
    if all(loop.id in trips for loop in snapshot.loops):
        progress.tell("trips", trips)
    else:
        progress.count_trips(count)


def eagerly(case: Case, load: Load, arrays: Sequence[np.ndarray], progress: Progress) -> None:
    """Probe a program that runs eagerly; its trips came with the capture."""
    progress.enter("probe")
    progress.aside(_WHAT, lambda: compare_gradients(progress.run, in_eager(case, load, arrays, progress), progress))


def unwatched(snapshot: Snapshot, reason: str, progress: Progress) -> None:
    """Say of every loop variable why its iterations cannot be watched."""
    loops = {loop.id: WatchedLoop(None, why_not=reason) for loop in snapshot.loops}
    progress.tell("probes", Series(snapshot, loops, {}).probes(()))


def watched_in_graph(
    case: Case, load: Load, arrays: Sequence[np.ndarray], snapshot: Snapshot, sizes: dict[str, frozenset[str]]
) -> tuple[Series, BackwardRun]:
    """The fullest series to be had: called functions are traced in place only where they hide something."""
    series, run = _once(LoopProbe(ops=case.probe_ops, stored=sizes), case, load, arrays, snapshot)
    if not series.complete():
        try:
            fuller, _ = _once(LoopProbe(ops=case.probe_ops, in_place=True, stored=sizes), case, load, arrays, snapshot)
        except Exception:  # not every tf.function can be traced in place; what is known already stays
            fuller = series
        series = fuller if fuller.complete() else series
    return series, run


def _once(
    probe: LoopProbe, case: Case, load: Load, arrays: Sequence[np.ndarray], snapshot: Snapshot
) -> tuple[Series, BackwardRun]:
    program = load()
    with probe.watching():
        answer = again.in_graph(program, arrays, case, backward=probe.differentiating)
    records = by_site(probe.records())
    run = BackwardRun(
        tuple(
            measure(source.name, gradient, np.asarray)
            for source, gradient in zip(answer.sources, answer.gradient_values, strict=True)
            if source.asked
        )
    )
    return Series(snapshot, _matched(probe.loops, snapshot), records), run


def _matched(loops: dict[str, Any], snapshot: Snapshot) -> dict[str, Any]:
    """By the Snapshot's ids: loops of a function traced in place have other names, and the same order."""
    known = [loop.id for loop in snapshot.loops]
    if set(loops) == set(known) or len(loops) != len(known):
        return {loop: found for loop, found in loops.items() if loop in known}
    depths = [loop.count("/") for loop in loops]
    return dict(zip(known, loops.values(), strict=True)) if depths == [loop.count("/") for loop in known] else {}


def compare_gradients(verdict: BackwardRun | None, probed: BackwardRun, progress: Progress) -> None:
    """Say so where the probed run has other gradients: then its iterations are not those of the verdict."""
    known = {each.source: each for each in verdict.measurements} if verdict else {}
    for found in probed.measurements:
        before = known.get(found.source)
        if before is None or before.measured == "unobserved":
            continue
        close = np.isclose(found.norm or 0.0, before.norm or 0.0, rtol=1e-5, atol=0.0, equal_nan=True)
        if found.measured != before.measured or not close:
            progress.note(
                f"{_WHAT} gives {found.source} another gradient (norm {found.norm} instead of {before.norm}), as a "
                "program does that draws random numbers or keeps state: the norms per iteration are of that run."
            )
            return


def note_unknown_ops(case: Case, progress: Progress) -> None:
    """Say which names of --probe-op mean no op inside a loop."""
    ops = progress.snapshot.ops if progress.snapshot else ()
    for name in case.probe_ops:
        if not any(op.loop and is_named(op.name, name) for op in ops):
            progress.note(f"No op inside a loop is called {name!r}: --probe-op takes an op's name, or the end of it.")
