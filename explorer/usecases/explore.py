"""Explore a case, in one way or in several, and follow it while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from explorer.model.case import Case
from explorer.model.verdict import Exploration, Stage

Watch = Callable[[Exploration], None]

_LOOK = 0.5  # seconds; on Windows, Ctrl-C is only heard between two looks


class Running(Protocol):
    """An exploration on its way (explorer.client.Job is one)."""

    def wait_for(self, arrived: Callable[[Exploration], bool], timeout: float | None = None) -> Exploration: ...

    def cancel(self) -> None: ...


class Starter(Protocol):
    """What runs cases (explorer.client.Engine is one); the seam at which tests put a fake."""

    def start(self, case: Case) -> Running: ...


def explore_case(case: Case, engine: Starter, watch: Watch | None = None) -> Exploration:
    """What is known when it has ended. ``watch`` is told at each new stage. An interrupted wait cancels the run."""
    job = engine.start(case)
    stage: Stage | None = None
    try:
        while True:
            now = job.wait_for(_beyond(stage), _LOOK)
            if watch is not None and now.stage != stage:
                watch(now)
            stage = now.stage
            if now.outcome is not None:
                return now
    except BaseException:  # Ctrl-C and SIGTERM too: nobody is left to read the answer
        job.cancel()
        raise


def _beyond(stage: Stage | None) -> Callable[[Exploration], bool]:
    return lambda exploration: exploration.stage != stage


def explore_ways(cases: Sequence[Case], engine: Starter, watch: Watch | None = None) -> tuple[Exploration, ...]:
    """The same case in several ways, one after the other, so that their times can be compared."""
    return tuple(explore_case(case, engine, watch) for case in cases)
