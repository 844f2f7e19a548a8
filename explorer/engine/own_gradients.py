"""The line to blame where a gradient of the user's own fails: in the gradient function, or where that begins.

TensorFlow's machinery raises far from it, at the call of the function or at an op of it. The function stands in the
frames of that machinery, so these must not be filtered out of the traceback.
"""

from __future__ import annotations

import contextlib
import os
import traceback
from collections.abc import Iterator
from types import FrameType

import keras
import tensorflow as tf

from explorer.capture import private
from explorer.capture.own_functions import user_place, written_at
from explorer.model.graph import Location

_MACHINERY = "custom_gradient.py"
_GIVEN = ("grad_fn", "f")  # its locals: the gradient function, else the function under tf.custom_gradient
_OUR_OWN = (
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
    machinery: FrameType | None = None
    inside: Location | None = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if os.path.basename(frame.f_code.co_filename) == _MACHINERY:
            machinery, inside = frame, None
        elif machinery is not None:
            inside = user_place(frame.f_code.co_filename, line, frame.f_code.co_name) or inside
    if machinery is None:
        return _judged(error)
    return inside or _begins(machinery)


def _begins(machinery: FrameType) -> Location | None:
    given = (machinery.f_locals.get(name) for name in _GIVEN)
    return next((line for function in given if function is not None and (line := written_at(function))), None)


def _judged(error: BaseException) -> Location | None:
    """TensorFlow found fault with what the gradient function of an op gave."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if not frames or frames[-1].f_code.co_name not in _OUR_OWN:
        return None
    op = frames[-1].f_locals.get("op")
    gradient = private.own_gradient(op) if isinstance(op, tf.Operation) and op.type == "IdentityN" else None
    return written_at(gradient)


def readable(error: BaseException) -> str:
    """The traceback as text, without the frames inside TensorFlow and Keras."""
    told = traceback.TracebackException.from_exception(error)
    kept = [f for f in told.stack if not f"{os.sep}site-packages{os.sep}" in f.filename]
    told.stack = traceback.StackSummary.from_list(kept or told.stack)
    told.__suppress_context__ = True
    return "".join(told.format())
