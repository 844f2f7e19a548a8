"""The engine as the app and the command line see it."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Sequence
from types import TracebackType

from explorer.client.connection import Connection
from explorer.client.job import Conclude, Job
from explorer.model.case import Case
from explorer.rules.conclude import conclude

WORK = "explorer.engine.work:explore"
PRELOAD = ("explorer.engine.preload",)


class Engine:
    """Runs each case in a fresh process. Making one returns at once, while TensorFlow loads elsewhere.

    The host process is started again when it is found dead. ``work`` is what the children run.
    """

    def __init__(self, work: str = WORK, preload: Sequence[str] = PRELOAD, conclude: Conclude = conclude) -> None:
        """Start the host process."""
        self._how = (work, tuple(preload), conclude)
        self._lock = threading.Lock()
        self._closed = False
        self._connection = Connection(*self._how)
        atexit.register(self.close)

    @property
    def ready(self) -> bool:
        """Whether a job started now would run at once."""
        return self._connection.ready.is_set() and not self._connection.dead.is_set()

    @property
    def pid(self) -> int:
        """The process id of the host."""
        return self._connection.pid

    def wait_ready(self, timeout: float | None = None) -> bool:
        """Wait until a job would run at once; whether it would."""
        self._connection.ready.wait(timeout)
        return self.ready

    def start(self, case: Case) -> Job:
        """Explore this case; returns at once."""
        with self._lock:
            if self._closed:
                raise RuntimeError("This engine has been closed.")
            if self._connection.dead.is_set():
                self._connection = Connection(*self._how)
            return self._connection.start(case)

    def close(self) -> None:
        """End all jobs and the host process."""
        with self._lock:
            self._closed = True
            atexit.unregister(self.close)
            self._connection.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
