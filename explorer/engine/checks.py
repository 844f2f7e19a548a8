"""What is asked of the program after the verdict: where bad numbers began, finite differences, the second order.

Each loads the program again and runs it apart; what fails here becomes a note and never touches the verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from explorer.engine import bad_numbers, finite_differences, reloaded, second_order
from explorer.engine.progress import Progress
from explorer.engine.targets import Program
from explorer.model.case import Case, Way
from explorer.model.graph import Snapshot


def after_verdict(case: Case, way: Way, load: Callable[[], Program], progress: Progress) -> None:
    """Run the checks that the case or the numbers ask for. ``load`` makes the program anew, seeded as before."""
    snapshot, run = progress.snapshot, progress.run
    if case.static_only or snapshot is None or run is None:
        return
    if bad_numbers.is_bad(run):
        progress.enter("probe")
        found = bad_numbers.locate(case, way, load, snapshot)
        progress.tell("numerics", found.numbers)
        if found.note:
            progress.note(found.note)
    if way != "tf1" and reloaded.lost_sources(progress.flow):
        progress.enter("probe")
        repair = partial(reloaded.tell_repaired, case, load, progress, run)
        progress.aside("The run with the handle data restored", repair)
    if case.check_numbers:
        progress.enter("probe")
        progress.aside("The check by finite differences", lambda: _compare(case, way, load, progress, snapshot))
    if case.second_order:
        progress.enter("probe")
        progress.tell("second_order", second_order.measure_second_order(case, way, load, snapshot))


def _compare(case: Case, way: Way, load: Callable[[], Program], progress: Progress, snapshot: Snapshot) -> None:
    progress.tell("number_checks", finite_differences.compare(case, way, load, snapshot, progress.flow))
