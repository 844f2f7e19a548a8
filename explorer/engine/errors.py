"""Turns an exception into a Failure: the useful sentence and the user's own line first."""

from __future__ import annotations

import re
import traceback

from explorer.capture.lines import is_user_file
from explorer.model.case import BadInput
from explorer.model.graph import Location
from explorer.model.verdict import Failure, Stage

_WRAPPERS = ("in user code", "in converted code", "Graph execution error", "Exception encountered when calling")
_NAMED = re.compile(r"^(\w*(?:Error|Exception|Warning)\b):\s*(.*)")
_NOISE = (
    "Detected at node", "File ", "Stack trace", "[Op:", "node ", "tf2xla conversion", "<stack traces",
    "Function call stack", "Arguments received", "\u2022", "Errors may have", "Input Source", "[[{{node", "Node:",
    "Hint:", "[elided", "Original error", "Original stack", "In[", "defined at", "Traceback", "(0)", "(1)",
)  # fmt: skip


def failure_of(error: BaseException, stage: Stage) -> Failure:
    """The Failure for an exception raised in ``stage``."""
    if isinstance(error, BadInput):
        return Failure(stage, "BadInput", str(error))
    return Failure(stage, _type_of(error), useful_message(str(error)), user_line(error), _detail(error))


def useful_message(text: str) -> str:
    """The sentence that says what happened; TensorFlow's first line is often only "in user code:"."""
    lines = [_clean(line) for line in text.splitlines() if line.strip()]
    if not lines:
        return "No message."
    if not lines[0].startswith(_WRAPPERS) and len(lines[0]) > 12:
        return _without_op_name(lines[0])
    named = [match.group(2) for line in lines[1:] if (match := _NAMED.match(line)) and match.group(2)]
    if named:
        return _without_op_name(named[-1])
    telling = [line for line in lines[1:] if not line.startswith(_NOISE) and len(line) > 15]
    return _without_op_name(telling[-1] if telling else lines[-1])


def _clean(line: str) -> str:
    plain = re.sub(r"\x1b\[[0-9;]*m", "", line.strip())
    return re.sub(r"^\(\d+\)\s*", "", plain) if re.match(r"^\(\d+\)\s+[A-Z_]+:", plain) else plain


def _without_op_name(line: str) -> str:
    return re.sub(r"\s*\[Op:\w+\]( name:.*)?$", "", re.sub(r"^\{\{(function_node|node) .*?\}\}\s*", "", line))[:600]


def _type_of(error: BaseException) -> str:
    """StagingError is AutoGraph's wrapping; the message names the real one."""
    name = type(error).__name__
    if name in ("StagingError", "KeyError") and (
        found := re.findall(r"^\s*(\w+(?:Error|Exception)):", str(error), re.M)
    ):
        return str(found[-1])
    return name


def user_line(error: BaseException) -> Location | None:
    """The innermost line of the user's own code, AutoGraph's mapping included."""
    metadata = getattr(error, "ag_error_metadata", None)
    if metadata is not None:
        for frame in metadata.translated_stack:
            if is_user_file(frame.filename):
                return Location(frame.filename, frame.lineno, frame.function_name)
    found = [f for f in traceback.extract_tb(error.__traceback__) if is_user_file(f.filename)]
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return Location(error.filename, error.lineno)
    return Location(found[-1].filename, found[-1].lineno or 0, found[-1].name) if found else None


def _detail(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-8000:]
