"""Turns an exception into a Failure: the useful sentence and the user's own line first."""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Sequence

from explorer.capture import private
from explorer.capture.lines import is_user_file, user_stack
from explorer.engine.leaks import stored_at
from explorer.engine.named_ops import held_ops, named_ops
from explorer.engine.own_gradients import OWN_GRADIENTS, captured_line, own_gradient_line, readable, too_few_line
from explorer.model.case import BadInput
from explorer.model.graph import Location, Snapshot
from explorer.model.verdict import Failure, Risk, Stage
from explorer.rules.messages import Meaning, meaning

_WRAPPERS = ("in user code", "in converted code", "Graph execution error", "Exception encountered when calling")
_NAMED = re.compile(r"^(\w*(?:Error|Exception|Warning)\b):\s*(.*)")
_NOISE = (
    "Detected at node", "File ", "Stack trace", "[Op:", "node ", "tf2xla conversion", "<stack traces",
    "Function call stack", "Arguments received", "\u2022", "Errors may have", "Input Source", "[[{{node", "Node:",
    "Hint:", "[elided", "Original error", "Original stack", "In[", "defined at", "Traceback", "...which", "(0)", "(1)",
)  # fmt: skip
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')
_DETAIL = 8000  # characters of traceback kept


def failure_of(
    error: BaseException, stage: Stage, snapshot: Snapshot | None = None, risks: Sequence[Risk] = ()
) -> Failure:
    """The Failure for an exception raised in ``stage``; ``snapshot`` and ``risks`` help to find the line to blame."""
    if isinstance(error, BadInput):
        return Failure(stage, "BadInput", str(error))
    text = str(error)
    row = meaning(f"{type(error).__name__}: {text}")
    warned = _warned(row, error, snapshot, risks) if row is not None and snapshot is not None else None
    where = (
        stored_at(error, snapshot)
        or own_gradient_line(error)
        or (captured_line(error) if row and row.risk in OWN_GRADIENTS else None)
        or (too_few_line(text, snapshot) if snapshot else None)
        or (warned.location if warned else None)
        or user_line(error, snapshot)
        or next((r.location for r in risks if row and r.cause == row.risk), None)
    )
    hint = warned.sentence if row and warned and warned.cause == row.sharper else row.hint if row else ""
    return Failure(stage, _type_of(error), useful_message(text), where, readable(error)[-_DETAIL:], hint)


def _warned(row: Meaning, error: BaseException, snapshot: Snapshot, risks: Sequence[Risk]) -> Risk | None:
    """The risk that knows the user's function behind the op in question, which is the place to edit."""
    known = [r for r in risks if r.op >= 0 and snapshot.ops[r.op].written and r.cause in (row.risk, row.sharper)]
    held = {op.name for op in held_ops(error)}
    named = {op.id for op in named_ops(error, snapshot)} | {op.id for op in snapshot.ops if op.name in held}

    def is_named(risk: Risk) -> bool:
        return risk.op in named or snapshot.graphs[snapshot.ops[risk.op].graph].op in named

    return next((r for r in known if is_named(r)), next((r for r in known if r.cause == row.risk), None))


def useful_message(text: str) -> str:
    """The sentence that says what happened; TensorFlow's first line is often only "in user code:"."""
    lines = [_clean(line) for line in text.splitlines() if line.strip()]
    if not lines:
        return "No message."
    if not lines[0].startswith((*_WRAPPERS, "...which")) and len(lines[0]) > 12:
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
    plain = re.sub(r"^\{\{(function_node|node) .*?\}\}\s*", "", line)
    return re.sub(r"\s*\[Op:\w+\]( name:.*)?$", "", plain)[:600]


def _type_of(error: BaseException) -> str:
    """StagingError is AutoGraph's wrapping; the message names the real one."""
    name = type(error).__name__
    if name in ("StagingError", "KeyError"):
        found = re.findall(r"^\s*(\w+(?:Error|Exception)):", str(error), re.M)
        return str(found[-1]) if found else name
    return name


def user_line(error: BaseException, snapshot: Snapshot | None = None) -> Location | None:
    """The user's line to blame: where it was raised, else where the op in question was made."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return Location(error.filename, error.lineno)
    for found in (_converted_line(error), _raised_line(error), _op_line(error), _told_line(error)):
        if found is not None:
            return found
    return _node_line(error, snapshot) if snapshot is not None else None


def _converted_line(error: BaseException) -> Location | None:
    metadata = getattr(error, "ag_error_metadata", None)
    for frame in metadata.translated_stack if metadata is not None else ():
        if is_user_file(frame.filename):
            return Location(frame.filename, frame.lineno, frame.function_name)
    return None


def _raised_line(error: BaseException) -> Location | None:
    found = [f for f in traceback.extract_tb(error.__traceback__) if is_user_file(f.filename)]
    return Location(found[-1].filename, found[-1].lineno or 0, found[-1].name) if found else None


def _op_line(error: BaseException) -> Location | None:
    """The op whose gradient was being built when a gradient function raised."""
    stacks = (user_stack(private.user_frames(op)) for op in held_ops(error))
    return next((stack[0] for stack in stacks if stack), None)


def _told_line(error: BaseException) -> Location | None:
    """A graph's runtime error prints the stack of the op's creation; XLA's also those of the ops around it."""
    for stack in str(error).split("Stack trace for op definition"):
        told = [Location(_rooted(f), int(line), name) for f, line, name in _FRAME.findall(stack)]
        users = [place for place in told if is_user_file(place.file)]
        if users:
            return users[-1]
    return None


def _rooted(file: str) -> str:
    """XLA prints paths without the root they begin with."""
    rooted = os.sep + file
    return rooted if not os.path.isabs(file) and not os.path.exists(file) and os.path.exists(rooted) else file


def _node_line(error: BaseException, snapshot: Snapshot) -> Location | None:
    places = (snapshot.where(op.stack) for op in named_ops(error, snapshot))
    return next((place for place in places if place is not None), None)
