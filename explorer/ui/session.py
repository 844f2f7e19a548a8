"""What outlives a rerun of the page: one engine per server, the work of each browser tab, recent results."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from explorer.model.case import Case
from explorer.model.verdict import Exploration
from explorer.strategies.source import load_text
from explorer.ui.form import Cases

if TYPE_CHECKING:
    from explorer.client import Engine, Job

_KEPT = 24


@dataclass(frozen=True)
class Seen:
    """What a page is drawn of. ``progress`` changes when there is something new to draw."""

    progress: tuple[Any, ...]
    running: bool


class Desk:
    """The work of one tab: the same case in one way or several, one after the other, so that each has the machine.

    ``shown`` is the last exploration that had something to draw; it stays until a newer one has. ``before`` is what the
    running case is a remedy of.
    """

    def __init__(self) -> None:
        self.cases: Cases = ()
        self.number = 0
        self.shown: Exploration | None = None
        self.before: Exploration | None = None
        self._jobs: list[Job] = []
        self._restored: tuple[Exploration, ...] = ()

    @property
    def running(self) -> bool:
        """Whether a job is at work or waits for its turn."""
        return len(self._jobs) < len(self.cases) or any(job.running for job in self._jobs)

    @property
    def explorations(self) -> tuple[Exploration, ...]:
        """What is known about each way that was begun, in the order of the cases."""
        return tuple(job.exploration for job in self._jobs) or self._restored

    def start(self, cases: Cases, before: Exploration | None = None) -> None:
        """Run these cases instead of whatever runs now. The first starts when the desk is tended."""
        self.cancel()
        self.before = before
        self.number += 1
        self.cases, self._jobs, self._restored = cases, [], ()

    def tend(self) -> None:
        """Start the next case when its turn has come, and keep what is finished."""
        if self.running and shop().engine is not None and not any(job.running for job in self._jobs):
            self._jobs.append(engine().start(self.cases[len(self._jobs)]))
        for each in self.explorations:
            if each.outcome == "done" and each.snapshot is not None:
                recent().add(each)

    def cancel(self) -> None:
        """Stop the job and all that wait; what is known by now stays."""
        self.cases = self.cases[: len(self._jobs)]
        for job in self._jobs:
            job.cancel()

    def restore(self, explorations: tuple[Exploration, ...]) -> None:
        """Show what this server found out earlier."""
        self.start(())
        self._restored = explorations

    def look(self, latest: Exploration) -> Exploration | None:
        """What to draw: this exploration, or the last one that could be drawn."""
        if latest.snapshot is not None:
            self.shown = latest
        return self.shown

    def seen(self) -> Seen:
        """How things stand.

        The bare graph is not enough to draw again: its prediction follows within moments, and decides what the picture
        shows. The verdict does not wait for what comes after the backward run: watching every iteration takes a while.
        """
        known = tuple((each.flow is not None, each.run is not None, each.outcome) for each in self.explorations)
        return Seen((self.number, len(self.cases), known), self.running)


class Recent:
    """The latest finished explorations of this server, so that a reloaded page or a link shows its picture at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Case, Exploration] = OrderedDict()

    def add(self, exploration: Exploration) -> None:
        """Keep this one, drop the oldest."""
        with self._lock:
            self._kept[exploration.case] = exploration
            self._kept.move_to_end(exploration.case)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)

    def find(self, case: Case) -> Exploration | None:
        """The exploration of this case, unless the sample model has been edited since."""
        with self._lock:
            found = self._kept.get(case)
        if found is None or (found.code and found.code != load_text(case.target, case.breaker)[1]):
            return None
        return found


class Shop:
    """Holds the one engine of this server, once there is one.

    It is made when the first page has been drawn: until then a processor that loads TensorFlow would be taken from the
    page.
    """

    def __init__(self) -> None:
        self.engine: Engine | None = None
        self._lock = threading.Lock()

    def open(self) -> Engine:
        """The engine; started if need be, which returns at once."""
        with self._lock:
            if self.engine is None:
                self.engine = make_engine()
            return self.engine

    def close(self) -> None:
        """End the engine and all its jobs."""
        with self._lock:
            if self.engine is not None:
                self.engine.close()


def make_engine() -> Engine:
    """Starting one returns at once, while TensorFlow loads in another process. Tests put a fake here."""
    from explorer.client import Engine

    return Engine()


@st.cache_resource(show_spinner=False, on_release=lambda shop: shop.close())
def shop() -> Shop:
    """The one shop of this server."""
    return Shop()


def engine() -> Engine:
    """The one engine of this server."""
    return shop().open()


def engine_ready() -> bool:
    """Whether a job started now would run at once."""
    found = shop().engine
    return found is not None and found.ready


def prepare() -> None:
    """Start whatever takes long to start. Called when the first page has been drawn, before anything is run."""
    from explorer.layout.worker import start_child

    engine()
    start_child()
    import explorer.ui.result  # noqa: F401  (with numpy and plotly, while TensorFlow is loading elsewhere)


@st.cache_resource(show_spinner=False, scope="session", on_release=lambda desk: desk.cancel())
def desk() -> Desk:
    """This tab's desk; its job is killed when the tab is closed."""
    return Desk()


@st.cache_resource(show_spinner=False)
def recent() -> Recent:
    """Shared by all tabs: what is in it can be had by anyone who may use this server."""
    return Recent()
