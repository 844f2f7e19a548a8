"""One running job, seen from the host: its process, its two pipes, its limits."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext

from explorer.codec import wire
from explorer.codec.messages import Event, Finished, Start, Working, pack, unpack
from explorer.engine import child, endings, limits
from explorer.engine.guardian import kill_group
from explorer.model.verdict import Outcome, Stage

_TAIL = 16_384
_START_GRACE = 120.0  # until the child works; where every child must import TensorFlow this takes a while
_LAST_WORDS = 0.5


class RunningJob:
    """A child at work. Only the host's main thread calls its methods."""

    def __init__(
        self, context: BaseContext, work: str, request: Start, send: Callable[[bytes], None], over: Callable[[], None]
    ) -> None:
        """Start the child. ``send`` passes its messages on; ``over`` is called when no more will come."""
        case = wire.decode_case(request.case)
        self._timeout, self._memory = case.timeout, float(case.memory)
        self._job, self._send, self._over = request.job, send, over
        self._kills_before = limits.system_kills()
        self._deadline = time.monotonic() + _START_GRACE + case.timeout
        self._breach: Outcome | None = None
        self._printed = b""
        self._peak = 0.0
        self._heard, self._listening = 0, False
        self.raised: bool | None = None  # None until the work function came back
        self.stage: Stage = "start"
        events, events_end = context.Pipe(duplex=False)
        output, output_end = context.Pipe(duplex=False)
        self._process = context.Process(target=child.run, args=(work, request, events_end, output_end))  # type: ignore[attr-defined]
        self._process.start()
        events_end.close()
        output_end.close()
        self._relay = _thread(self._relay_events, events)
        self._drain = _thread(self._drain_output, output)

    @property
    def group(self) -> int:
        """The process group of the child and all that it starts."""
        return int(self._process.pid)

    def breach(self) -> Outcome | None:
        """The limit that the job has broken by now, if any; also notices a death that its pipe does not show."""
        if self.raised is not None:
            return None
        if time.monotonic() > self._deadline:
            return "timed_out"
        used = limits.memory_of(self.group, self._memory)
        self._peak = max(self._peak, used or 0.0)
        if used is not None and used > self._memory:
            return "out_of_memory"
        if self._process.is_alive():
            return None
        self._hear_out()
        return "crashed" if self.raised is None else None

    def finish(self) -> Outcome:
        """Say how it ended, when its child will say no more; kill what it has left behind."""
        if self.raised is None:
            self._process.join(_LAST_WORDS)
            return self.stop("crashed")
        # Nobody waits for the processes to be gone: to unmap TensorFlow takes longer than to fork it.
        self._kill()
        return "raised" if self.raised else "done"

    def stop(self, outcome: Outcome) -> Outcome:
        """End it, or find it dead; send what is still to be said; return the outcome that turned out."""
        if outcome == "timed_out":
            self._ask_where()
        kind = endings.exit_kind(self._process.exitcode)
        self._kill()
        self._process.join(_LAST_WORDS)
        self._drain.join(_LAST_WORDS)
        self._hear_out()
        if outcome == "crashed" and kind == "SIGKILL" and limits.system_kills() > self._kills_before:
            outcome = "out_of_memory"
        limit = f"{self._timeout:g} s" if outcome == "timed_out" else f"{self._memory:g} MB"
        self._emit("failure", endings.failure(outcome, self.stage, limit, kind, self._tail()))
        self._emit("memory", {"peak": self._peak})
        return outcome

    def _emit(self, field: str, value: object) -> None:
        self._send(pack(Event(self._job, field, wire.encode(field, value))))

    def _kill(self) -> None:
        if hasattr(os, "killpg"):
            kill_group(self.group)
        self._process.kill()  # it may not have its own group yet

    def _ask_where(self) -> None:
        """Let the child print the line it is at."""
        if not hasattr(signal, "SIGUSR1"):
            return
        with suppress(ProcessLookupError):
            os.kill(self.group, signal.SIGUSR1)
        patience = time.monotonic() + _LAST_WORDS
        while "most recent call first" not in self._tail() and time.monotonic() < patience:
            time.sleep(0.01)

    def _hear_out(self) -> None:
        """Wait for all that the child has said, however slowly the client takes it; not for its pipe to close.

        A process that the child started may hold that open for ever.
        """
        while self._relay.is_alive():
            heard = self._heard
            self._relay.join(_LAST_WORDS)
            if self._listening and self._heard == heard:
                return

    def _relay_events(self, events: Connection) -> None:
        with events, suppress(EOFError, OSError):
            while self.raised is None:
                self._listening = True
                data = events.recv_bytes()
                self._listening = False
                self._heard += 1
                self._note(data)
        self._over()

    def _note(self, data: bytes) -> None:
        message = unpack(data)
        if isinstance(message, Finished):
            self.raised = message.raised
            return
        if isinstance(message, Working):
            self._deadline = time.monotonic() + self._timeout
        if isinstance(message, Event) and message.field == "stage":
            self.stage = wire.decode("stage", message.value)
        self._send(data)

    def _drain_output(self, output: Connection) -> None:
        if os.name == "nt":
            return
        with output, suppress(OSError):
            while piece := os.read(output.fileno(), 65_536):
                self._printed = (self._printed + piece)[-_TAIL:]

    def _tail(self) -> str:
        return self._printed.decode(errors="replace")


def _thread(target: Callable[[Connection], None], pipe: Connection) -> threading.Thread:
    thread = threading.Thread(target=target, args=(pipe,), daemon=True)
    thread.start()
    return thread
