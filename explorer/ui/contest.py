"""A comparison on its way, in a thread of the server: it outlives reruns of the page and ends with its tab."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import streamlit as st

from explorer.model.case import Case
from explorer.model.comparison import Comparison, Sweep
from explorer.ui import session
from explorer.usecases.compare import stepwise
from explorer.usecases.explore import Running


class Contest:
    """What one tab compares. ``found`` grows; ``doing`` says what runs now, empty when nothing does."""

    def __init__(self) -> None:
        self.found: Comparison | None = None
        self.doing = ""
        self.failed = ""
        self._number = 0
        self._job: Running | None = None
        self._lock = threading.Lock()

    @property
    def running(self) -> bool:
        """Whether more is to come."""
        return bool(self.doing)

    def start(self, keys: Sequence[str], make: Callable[[str], Case], sweep: Sweep | None) -> None:
        """Compare these instead of whatever is compared now."""
        self.cancel()
        with self._lock:
            self._number += 1
            self.found, self.doing, self.failed = None, "starting", ""
            number = self._number
        threading.Thread(target=self._run, args=(number, keys, make, sweep), daemon=True).start()

    def cancel(self) -> None:
        """Stop; what is known by now stays."""
        with self._lock:
            self._number += 1
            self.doing = ""
            job = self._job
        if job is not None:
            job.cancel()

    def _run(self, number: int, keys: Sequence[str], make: Callable[[str], Case], sweep: Sweep | None) -> None:
        try:
            for found, doing in stepwise(keys, make, _Starter(self, number), sweep):
                if not self._take(number, found, doing):
                    return
        except Exception as error:  # noqa: BLE001 - told on the page: nobody waits for this thread
            with self._lock:
                if number == self._number:
                    self.failed, self.doing = f"{type(error).__name__}: {error}", ""

    def _take(self, number: int, found: Comparison, doing: str) -> bool:
        with self._lock:
            if number != self._number:
                return False
            self.found, self.doing = found, doing
            return True

    def runs(self, number: int, job: Running) -> None:
        """The job that a cancelled contest must stop; one that began too late is stopped at once."""
        with self._lock:
            self._job = job
            late = number != self._number
        if late:
            job.cancel()


class _Starter:
    """The server's engine, with the running job known to the contest."""

    def __init__(self, contest: Contest, number: int) -> None:
        self._contest, self._number = contest, number
        self._engine = session.engine()

    def start(self, case: Case) -> Running:
        job = self._engine.start(case)
        self._contest.runs(self._number, job)
        return job


@st.cache_resource(show_spinner=False, scope="session", on_release=lambda contest: contest.cancel())
def contest() -> Contest:
    """This tab's contest; its job is killed when the tab is closed."""
    return Contest()
