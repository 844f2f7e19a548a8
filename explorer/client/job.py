"""One exploration on its way: what is known so far, and how to stop it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from explorer.model.case import Case
from explorer.model.verdict import Exploration, Failure, Outcome

Conclude = Callable[[Exploration], Exploration]

_MERGED = ("trips", "seconds", "memory")
_DECIDES = ("flow", "run")


class Job:
    """Any thread may read it; the thread that reads the host's messages fills it."""

    def __init__(self, case: Case, conclude: Conclude, cancel: Callable[[], None]) -> None:
        """``cancel`` asks the host to stop this job."""
        self._conclude, self._ask_cancel = conclude, cancel
        self._changed = threading.Condition()
        self._began = time.monotonic()
        self._exploration = Exploration(case)

    @property
    def exploration(self) -> Exploration:
        """What is known by now; a frozen value, replaced as more arrives."""
        return self._exploration

    @property
    def running(self) -> bool:
        """Whether more may arrive."""
        return self._exploration.outcome is None

    def cancel(self) -> None:
        """Stop it; returns at once. What is known by then stays."""
        if self.running:
            self._ask_cancel()

    def wait(self, timeout: float | None = None) -> Exploration:
        """What is known when it ends, or after ``timeout`` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self.running, timeout)
        return self._exploration

    def wait_for(self, arrived: Callable[[Exploration], bool], timeout: float | None = None) -> Exploration:
        """What is known when ``arrived`` says yes, when the job ends, or after ``timeout`` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self.running or arrived(self._exploration), timeout)
        return self._exploration

    def works(self) -> None:
        """The child has begun."""
        self.take("seconds", {"start": time.monotonic() - self._began})

    def take(self, field: str, value: Any) -> None:
        """One field of the exploration has arrived."""
        if not self.running:
            return
        if field in _MERGED:
            value = getattr(self._exploration, field) | value
        changed = replace(self._exploration, **{field: value})
        self._set(self._conclude(changed) if field in _DECIDES else changed)

    def end(self, outcome: Outcome, failure: Failure | None = None) -> None:
        """It is over. ``failure`` where none has arrived."""
        if self.running:
            self._set(self._conclude(self._ended(outcome, failure or self._exploration.failure)))

    def fail(self, failure: Failure) -> None:
        """It is over because of a defect on this side of the border, so nothing is concluded from it."""
        if self.running:
            self._set(self._ended("crashed", failure))

    def _ended(self, outcome: Outcome, failure: Failure | None) -> Exploration:
        seconds = self._exploration.seconds | {"total": time.monotonic() - self._began}
        return replace(self._exploration, outcome=outcome, failure=failure, seconds=seconds)

    def _set(self, exploration: Exploration) -> None:
        with self._changed:
            self._exploration = exploration
            self._changed.notify_all()
