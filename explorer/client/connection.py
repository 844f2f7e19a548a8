"""One host process and the thread that listens to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, cast

from explorer.client.job import Conclude, Job
from explorer.codec import messages, wire
from explorer.codec.messages import AnyMessage, Cancel, Ended, Event, Ready, Start, Working
from explorer.model.case import Case
from explorer.model.verdict import Failure

_HOME = Path(__file__).parents[2]  # the folder that holds the package
_LEAVE = 2.0  # seconds a host may take to go when asked


class Connection:
    """A host and its jobs. Once the host is dead it stays dead: make a new one."""

    def __init__(self, work: str, preload: Sequence[str], conclude: Conclude) -> None:
        """Start the host; returns long before it is ready."""
        self._conclude = conclude
        self._jobs: dict[int, Job] = {}
        self._count = 0
        self._lock = threading.Lock()
        self._closing = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (open as long as the host lives)
        self._last_words = ""
        self.ready = threading.Event()
        self.dead = threading.Event()
        modules = [argument for module in preload for argument in ("--preload", module)]
        self._host = subprocess.Popen(
            [sys.executable, "-m", "explorer.engine.host", "--work", work, *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=_environment(),
            start_new_session=True,  # Ctrl-C is for the one who started us
        )
        self._stdin, self._stdout = cast(BinaryIO, self._host.stdin), cast(BinaryIO, self._host.stdout)
        threading.Thread(target=self._listen, name="explorer-engine", daemon=True).start()

    @property
    def pid(self) -> int:
        """The host's process id."""
        return self._host.pid

    def start(self, case: Case) -> Job:
        """Ask the host to explore this case."""
        with self._lock:
            self._count += 1
            number = self._count
            job = self._jobs[number] = Job(case, self._conclude, lambda: self._tell(Cancel(number)))
        self._tell(Start(number, wire.encode_case(case), os.getcwd()))
        if self.dead.is_set():  # after the listener took its last look at the jobs
            self._bury(job)
        return job

    def close(self) -> None:
        """End the host and, with it, all its jobs."""
        self._closing = True
        self._hang_up()
        try:
            self._host.wait(_LEAVE)
        except subprocess.TimeoutExpired:
            self._host.kill()
            self._host.wait()
        self.dead.wait(_LEAVE)

    def _tell(self, message: AnyMessage) -> None:
        # Where the host is gone, the listener ends the jobs and says why.
        with self._lock, suppress(OSError, ValueError):
            messages.write(self._stdin, messages.pack(message))

    def _hang_up(self) -> None:
        with self._lock, suppress(OSError):
            self._stdin.close()

    def _listen(self) -> None:
        with self._stdout as answers:
            while (message := messages.read(answers)) is not None:
                self._heed(message)
        self._hang_up()
        self._host.wait()
        with self._errors as errors:
            errors.seek(max(0, errors.seek(0, os.SEEK_END) - 8000))
            self._last_words = errors.read().decode(errors="replace").strip()
        self.dead.set()
        for job in tuple(self._jobs.values()):
            self._bury(job)
        self._jobs.clear()

    def _heed(self, message: AnyMessage) -> None:
        if isinstance(message, Ready):
            self.ready.set()
            return
        job = self._jobs.get(message.job)
        if job is None:
            return
        try:
            if isinstance(message, Working):
                job.works()
            elif isinstance(message, Event):
                job.take(message.field, wire.decode(message.field, message.value))
            elif isinstance(message, Ended):
                del self._jobs[message.job]
                job.end(message.outcome)
        except Exception as error:  # noqa: BLE001  a defect on our side must end one job, not the thread that serves them all
            self._give_up(message.job, job, error)

    def _give_up(self, number: int, job: Job, error: Exception) -> None:
        self._jobs.pop(number, None)
        self._tell(Cancel(number))
        detail = "".join(traceback.format_exception(error))
        sentence = f"The explorer itself failed on an answer of its engine: {type(error).__name__}: {error}"
        job.fail(Failure(job.exploration.stage, type(error).__name__, sentence, detail=detail))

    def _bury(self, job: Job) -> None:
        stage = job.exploration.stage
        if self._closing:
            job.end("cancelled", Failure(stage, "Cancelled", "The engine was closed."))
            return
        code = self._host.returncode
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        words = self._last_words
        happened = "stopped" if self.ready.is_set() else "could not start"
        reason = f": {words.splitlines()[-1]}" if words and code > 0 else "."  # a killed host had no time for words
        job.end("crashed", Failure(stage, how, f"The engine {happened} ({how}){reason}", detail=words))


def _environment() -> dict[str, str]:
    paths = [str(_HOME), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
