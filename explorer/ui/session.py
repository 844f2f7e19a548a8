"""What outlives a rerun of the page: one engine per server, one running job per browser tab, recent results."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

import streamlit as st

from explorer.client import Engine, Job
from explorer.model.case import Case
from explorer.model.verdict import Exploration
from explorer.strategies.source import load_text

_KEPT = 12


class Desk:
    """The work of one tab.

    ``shown`` is the last exploration that had something to draw; it stays until a newer one has.
    """

    def __init__(self) -> None:
        self.job: Job | None = None
        self.number = 0
        self.shown: Exploration | None = None

    @property
    def running(self) -> bool:
        """Whether a job is at work."""
        return self.job is not None and self.job.running

    @property
    def latest(self) -> Exploration | None:
        """What is known about the case that was run last."""
        return self.job.exploration if self.job else self.shown

    def start(self, case: Case, engine: Engine) -> None:
        """Run this case instead of whatever runs now."""
        self.cancel()
        self.number += 1
        self.job = engine.start(case)

    def cancel(self) -> None:
        """Stop the job; what is known by now stays."""
        if self.job is not None:
            self.job.cancel()

    def restore(self, exploration: Exploration) -> None:
        """Show what this server found out earlier."""
        self.shown = exploration

    def look(self) -> Exploration | None:
        """The exploration to draw now."""
        latest = self.latest
        if latest is not None and latest.snapshot is not None:
            self.shown = latest
            if latest.outcome == "done":
                recent().add(latest)
        return self.shown

    def progress(self) -> tuple[Any, ...]:
        """Changes when the page has something new to draw."""
        now = self.latest
        if now is None:
            return (self.number,)
        return (self.number, now.snapshot is not None, now.flow is not None, now.outcome)


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


def make_engine() -> Engine:
    """Starting one returns at once, while TensorFlow loads in another process. Tests put a fake here."""
    return Engine()


@st.cache_resource(show_spinner=False, on_release=lambda engine: engine.close())
def engine() -> Engine:
    """The one engine of this server."""
    return make_engine()


@st.cache_resource(show_spinner=False, scope="session", on_release=lambda desk: desk.cancel())
def desk() -> Desk:
    """This tab's desk; its job is killed when the tab is closed."""
    return Desk()


@st.cache_resource(show_spinner=False)
def recent() -> Recent:
    """Shared by all tabs: what is in it can be had by anyone who may use this server."""
    return Recent()
