"""What runs in the fresh process of one job: shut the door behind itself, call the work function, report."""

from __future__ import annotations

import faulthandler
import importlib
import io
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, cast

from explorer.codec import wire
from explorer.codec.messages import Event, Finished, Start, Working, pack
from explorer.engine.guardian import kill_group
from explorer.engine.limits import MB, volunteer_for_oom
from explorer.model.case import Case
from explorer.model.verdict import Failure, Stage

Emit = Callable[[str, Any], None]
Work = Callable[[Case, Emit], None]


class Emitter:
    """Sends fields of the exploration to the host, from any thread; remembers what the report needs."""

    def __init__(self, job: int, events: Connection) -> None:
        """``events`` is the way to the host."""
        self._job = job
        self._events = events
        self._lock = threading.Lock()
        self.stage: Stage = "start"
        self.failed = False

    def __call__(self, field: str, value: Any) -> None:
        """Send one field."""
        data = pack(Event(self._job, field, wire.encode(field, value)))
        with self._lock:
            self._events.send_bytes(data)
        if field == "stage":
            self.stage = value
        self.failed = self.failed or (field == "failure" and value is not None)


def run(work: str, request: Start, events: Connection, output: Connection) -> None:
    """The whole life of a child. Does not return: TensorFlow's orderly exit takes longer than most explorations."""
    _isolate(output)
    emit = Emitter(request.job, events)
    try:
        os.chdir(request.folder)
        function = resolve(work)
        case = wire.decode_case(request.case)
        events.send_bytes(pack(Working(request.job)))
        function(case, emit)
    except BaseException as error:  # also SystemExit: a model file may call sys.exit()
        emit("failure", _failure(error, emit.stage))
    emit("memory", _peak())
    events.send_bytes(pack(Finished(request.job, emit.failed)))
    os._exit(0)


def resolve(work: str) -> Work:
    """The function that ``module:function`` names."""
    module, _, function = work.partition(":")
    return cast(Work, getattr(importlib.import_module(module), function))


def _failure(error: BaseException, stage: Stage) -> Failure:
    name = type(error).__name__
    return Failure(stage, name, str(error) or name, detail="".join(traceback.format_exception(error)))


def _peak() -> dict[str, float]:
    if sys.platform == "win32":
        return {}
    import resource  # not on Windows

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"peak": most / MB if sys.platform == "darwin" else most / 1024}


def _isolate(output: Connection) -> None:
    if hasattr(os, "setsid"):
        os.setsid()
    sink = os.open(os.devnull, os.O_WRONLY) if os.name == "nt" else output.fileno()
    for descriptor in (1, 2):
        os.dup2(sink, descriptor)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True)
    faulthandler.enable(file=2, all_threads=False)
    if hasattr(faulthandler, "register"):
        faulthandler.register(signal.SIGUSR1, file=2, all_threads=True)  # the host asks where an endless job is
    volunteer_for_oom()
    threading.Thread(target=_die_with_host, name="die-with-host", daemon=True).start()


def _die_with_host() -> None:
    # Second to the guardian, and the only one where there is no fork: this thread needs the interpreter's lock.
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        if hasattr(os, "killpg"):
            kill_group(os.getpid())
        os._exit(1)
