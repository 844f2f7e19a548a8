"""The host's main loop: starts jobs, watches their limits, ends them.

One thread makes all calls into ``multiprocessing``: two threads that poll one child of a fork server can steal its
exit code from each other. Everybody else leaves a note in the inbox.
"""

from __future__ import annotations

import queue
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from typing import TypeAlias

from explorer.codec import wire
from explorer.codec.messages import Cancel, Ended, Event, Ready, Start, pack
from explorer.engine import endings
from explorer.engine.guardian import Guardian
from explorer.engine.running import RunningJob
from explorer.model.verdict import Failure, Outcome

_TICK = 0.05  # seconds between two looks at the limits


@dataclass(frozen=True)
class Over:
    """The child of this job will say no more."""

    job: int


@dataclass(frozen=True)
class Warm:
    """The fork server answers; ``error`` when it never will."""

    error: str = ""


@dataclass(frozen=True)
class Leave:
    """The client is gone."""


Note: TypeAlias = Start | Cancel | Over | Warm | Leave


class Supervisor:
    """All jobs of one host."""

    def __init__(self, context: BaseContext, work: str, guardian: Guardian, send: Callable[[bytes], None]) -> None:
        """``send`` takes a packed message to the client, from any thread."""
        self._context, self._work, self._guardian, self._send = context, work, guardian, send
        self._running: dict[int, RunningJob] = {}
        self._waiting: dict[int, Start] = {}
        self._warm = False
        self.inbox: queue.SimpleQueue[Note] = queue.SimpleQueue()

    def run(self) -> str:
        """Serve until the client leaves; the answer is why the host cannot go on, empty when it need not."""
        threading.Thread(target=self._warm_up, daemon=True).start()
        while True:
            try:
                note = self.inbox.get(timeout=_TICK if self._running else None)
            except queue.Empty:
                self._look_at_limits()
                continue
            if isinstance(note, Leave):
                return ""
            if isinstance(note, Warm) and note.error:
                return note.error
            self._heed(note)

    def _heed(self, note: Note) -> None:
        if isinstance(note, Warm):
            self._warm = True
            self._send(pack(Ready()))
            for request in tuple(self._waiting.values()):
                self._start(self._waiting.pop(request.job))
        elif isinstance(note, Start):
            if self._warm:
                self._start(note)
            else:
                self._waiting[note.job] = note
        elif isinstance(note, Cancel):
            self._cancel(note.job)
        elif isinstance(note, Over):
            self._end(note.job, None)

    def _warm_up(self) -> None:
        # A first child: it is there when the fork server has imported everything. Until then nothing else starts.
        try:
            first = self._context.Process(target=_nothing)  # type: ignore[attr-defined]
            first.start()
            first.join()
        except (OSError, EOFError):
            self.inbox.put(Warm(traceback.format_exc()))
        else:
            self.inbox.put(Warm())

    def _start(self, request: Start) -> None:
        job = RunningJob(self._context, self._work, request, self._send, lambda: self.inbox.put(Over(request.job)))
        self._guardian.watch(job.group)
        self._running[request.job] = job

    def _cancel(self, number: int) -> None:
        if self._waiting.pop(number, None):
            failure = Failure("start", "Cancelled", f"Cancelled while {endings.DOING['start']}.")
            self._send(pack(Event(number, "failure", wire.encode("failure", failure))))
            self._send(pack(Ended(number, "cancelled")))
        self._end(number, "cancelled")

    def _look_at_limits(self) -> None:
        for number, job in tuple(self._running.items()):
            if outcome := job.breach():
                self._end(number, outcome)

    def _end(self, number: int, outcome: Outcome | None) -> None:
        job = self._running.pop(number, None)
        if job is None:  # ended before this note was read
            return
        outcome = job.stop(outcome) if outcome else job.finish()
        self._guardian.forget(job.group)
        self._send(pack(Ended(number, outcome)))


def _nothing() -> None:
    """What the first child does."""
