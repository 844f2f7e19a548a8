"""The line to blame where a gradient of the user's own fails: in the gradient function, or where that begins.

TensorFlow's machinery raises far from it, at the call of the function or at an op of it. The function stands in the
frames of that machinery, so these must not be filtered out of the traceback.
"""

from __future__ import annotations

import contextlib
import os
import re
import traceback
from collections.abc import Iterator
from types import FrameType

import keras
import tensorflow as tf

from explorer.capture import private
from explorer.capture.freeze import branch_graphs, called_graph, nested_graph
from explorer.capture.own_functions import is_recomputed, reads_of, user_place, written_at, written_for
from explorer.engine.named_ops import held_ops, made_from
from explorer.model.graph import Location, Snapshot
from explorer.rules.ops import BRANCHING, CALL, WHILE

_MACHINERY = "custom_gradient.py"
_WATCHING = "variable_watcher"  # its local once the arguments are accepted and the user's function runs
_TOO_FEW = re.compile(r"returned too few gradients\. Expected (\d+)")
OWN_GRADIENTS = ("own_gradient_in_branch", "recompute_in_loop")  # the risks of what is captured too late
_JUDGES = (
    "_VerifyGeneratedGradients",
    "_GradientsHelper",
    "_gradient_function",
)  # judge what a gradient function gave


@contextlib.contextmanager
def whole_tracebacks() -> Iterator[None]:
    """While active, TensorFlow and Keras leave their own frames in a traceback."""
    filtering, of_keras = tf.debugging.is_traceback_filtering_enabled(), keras.config.is_traceback_filtering_enabled()
    tf.debugging.disable_traceback_filtering()
    keras.config.disable_traceback_filtering()
    try:
        yield
    finally:
        if filtering:
            tf.debugging.enable_traceback_filtering()
        if of_keras:
            keras.config.enable_traceback_filtering()


def own_gradient_line(error: BaseException) -> Location | None:
    """The user's innermost line inside a gradient function, else where the function that was judged begins."""
    found = [line for each in made_from(error) if (line := _line_in(each)) is not None]
    return found[-1] if found else _judged(error)


def _line_in(error: BaseException) -> Location | None:
    machinery: FrameType | None = None
    inside: Location | None = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if os.path.basename(frame.f_code.co_filename) == _MACHINERY:
            machinery, inside = frame, None
        elif machinery is not None:
            inside = user_place(frame.f_code.co_filename, line, frame.f_code.co_name) or inside
    return inside or (_begins(machinery) if machinery is not None else None)


def _begins(machinery: FrameType) -> Location | None:
    """Where the gradient function begins, or the one that should have returned it; None if the call is to blame."""
    local = machinery.f_locals
    named = ("grad_fn", "f") if _WATCHING in local or "grad_fn" in local else ()
    return next((line for name in named if (line := written_at(local.get(name))) is not None), None)


def _judged(error: BaseException) -> Location | None:
    """TensorFlow found fault with what the gradient function of an op gave."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if not frames or frames[-1].f_code.co_name not in _JUDGES:
        return None
    op = frames[-1].f_locals.get("op")
    return written_for(op) if isinstance(op, tf.Operation) and op.type == "IdentityN" else None


def captured_line(error: BaseException) -> Location | None:
    """The user's function in a branch or a loop that captures what the backward pass cannot reach."""
    for op in held_ops(error):
        inside = [own for own in _own_gradients_in(op) if written_for(own) is not None]
        reading = [own for own in inside if reads_of(own) is not None]
        if inside:
            own = (reading or inside)[0]
            return written_for(own) if is_recomputed(own) else reads_of(own) or written_for(own)
    return None


def _own_gradients_in(op: tf.Operation) -> Iterator[tf.Operation]:
    """The IdentityN ops that a branch, a loop or a call runs, also those of the functions called there."""
    waiting = _bodies(op)
    while waiting:
        for inner in waiting.pop().get_operations():
            if inner.type == "IdentityN":
                yield inner
            waiting += _bodies(inner)


def _bodies(op: tf.Operation) -> list[private.FuncGraph]:
    if op.type in BRANCHING:
        return branch_graphs(op)
    if op.type in WHILE:
        return [nested_graph(op, "_body_graph", op.get_attr("body").name)]
    called = called_graph(op) if op.type in CALL else None
    return [called] if called is not None else []


def too_few_line(text: str, snapshot: Snapshot) -> Location | None:
    """A tape inside a graph tells only how many gradients were wanted: one for each result and each input."""
    told = _TOO_FEW.search(text)
    own = (op for op in snapshot.ops if op.type == "IdentityN" and op.written is not None)
    return next((op.written for op in own if told and len(op.inputs) == int(told[1])), None)


def readable(error: BaseException) -> str:
    """The traceback as text, without the frames inside TensorFlow and Keras."""
    told = traceback.TracebackException.from_exception(error)
    kept = [f for f in told.stack if f"{os.sep}site-packages{os.sep}" not in f.filename]
    told.stack = traceback.StackSummary.from_list(kept or told.stack)
    told.__suppress_context__ = True
    return "".join(told.format())
