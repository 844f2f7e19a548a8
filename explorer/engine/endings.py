"""What to say about a job that did not come to its own end."""

from __future__ import annotations

import re
import signal
import sysconfig
from pathlib import Path

from explorer.model.graph import Location
from explorer.model.verdict import Failure, Outcome, Stage

DOING: dict[Stage, str] = {
    "start": "starting",
    "build": "building the model",
    "trace": "tracing",
    "predict": "predicting",
    "backward": "running the backward pass",
    "probe": "measuring each iteration",
}
_OURS = str(Path(__file__).parents[1])
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_FRAME = re.compile(r'^\s*File "(?P<file>.+)", line (?P<line>\d+) in (?P<function>.+)$', re.MULTILINE)


def signal_name(number: int) -> str:
    """``SIGSEGV`` for 11."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def exit_kind(code: int | None) -> str:
    """An exit code as Python gives it (negative: a signal) in words."""
    if code is None:
        return "closed its connection"
    return signal_name(-code) if code < 0 else f"exit code {code}"


def failure(outcome: Outcome, stage: Stage, limit: str, kind: str, output: str) -> Failure:
    """The failure of a job that was ended, or died.

    ``limit`` is the limit it broke, in words; ``kind`` says how it died; ``output`` is the end of what it printed.
    """
    doing = DOING[stage]
    type_, message = {
        "timed_out": ("TimedOut", f"Stopped after {limit}, the time limit, while {doing}."),
        "out_of_memory": ("OutOfMemory", f"Stopped at {limit} of memory, while {doing}."),
        "cancelled": ("Cancelled", f"Cancelled while {doing}."),
        "crashed": (kind, f"The process that ran the model died ({kind}) while {doing}."),
    }[outcome]
    return Failure(stage, type_, message, location=_user_line(output), detail=_shortened(output))


def _user_line(output: str) -> Location | None:
    """The innermost line of the user's own code in a stack that ``faulthandler`` printed."""
    for frame in _FRAME.finditer(output):
        file = frame["file"]
        if not file.startswith((_OURS, *_LIBRARIES, "<")) and "site-packages" not in file:
            return Location(file, int(frame["line"]), frame["function"])
    return None


def _shortened(output: str) -> str:
    # faulthandler ends with the names of all extension modules: hundreds with TensorFlow, none of them news.
    return "\n".join(line for line in output.splitlines() if not line.startswith("Extension modules:"))[-8000:]
