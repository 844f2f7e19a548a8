"""Loops whose body is a function that is called in every iteration: TensorFlow's own, and those AutoGraph converted.

Eagerly TensorFlow runs ``tf.while_loop`` as a Python loop of its own, so no ``for`` or ``while`` of the user's is there
to be traced; the frame of the call stands for the loop.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import tensorflow as tf

from explorer.capture import private
from explorer.capture.eager_hooks import Kind
from explorer.capture.eager_records import Recording
from explorer.capture.lines import loop_api, user_stack
from explorer.capture.loop_sites import LoopSite, statement_site
from explorer.capture.python_loops import LoopTracer, Run
from explorer.capture.running_frames import Frame, all_running, as_written

_LOOKED_INTO = 16  # items of a list or dict that may hold loop variables
_PYTHON_WHILE = ("while_stmt", "protected_body", "_py_while_stmt")  # what calls the body of a converted Python `while`


class LoopBodies:
    """Announces such loops to the tracer, and notes in the recording what their variables are called."""

    def __init__(self, recording: Recording, loops: LoopTracer) -> None:
        self._recording, self._loops = recording, loops

    def of_tensorflow(self, original: Callable[..., Any], frame: FrameType, arguments: tuple, named: dict) -> Any:
        """``tf.while_loop`` runs eagerly, as a Python loop inside TensorFlow; so do map_fn, scan, Keras RNN."""
        call = dict(zip(("cond", "body", "loop_vars"), arguments, strict=False)) | named
        if len(arguments) > 3:
            return original(*arguments, **named)  # an unusual call; its ops are recorded, the loop is not
        frames = all_running(frame.f_back)
        where = user_stack(frames)[:1]
        file, line, function = (where[0].file, where[0].line, where[0].function) if where else ("", 0, "")
        site = LoopSite("tensorflow", file, line, function, (0, 0), (0, 0), loop_api(frames))
        self._recording.limits[site] = (
            _number(call.get("maximum_iterations")),
            _number(call.get("parallel_iterations")),
        )
        body = call["body"]
        with self._loops.announce(frame, site) as run:

            def seen_body(*values: Any) -> Any:
                run.begin()
                self.bind(run, _named_values(body, values))
                try:
                    result = body(*values)
                finally:
                    run.at_header = True
                self.leave(run, _named_values(body, tuple(result) if isinstance(result, (list, tuple)) else (result,)))
                return result

            return original(**(call | {"body": seen_body}))

    def converted(
        self, kind: Kind, original: Callable[..., Any], frame: FrameType, statement: FrameType | None, arguments: tuple
    ) -> Any:
        """A Python loop of code that AutoGraph converted: there the body is a function, called in every iteration.

        A ``while`` is known to be one of Python's by what calls its body; the first iteration runs outside its loop.
        """
        at = 2 if kind == "for" else 1
        body, get_state, names = arguments[at], arguments[at + 1], arguments[5 if kind == "for" else 4]
        written = as_written(statement) if statement is not None else Frame("", 0, "")
        site = statement_site(kind, written.filename, written.lineno, written.name)
        with contextlib.ExitStack() as opened:
            run: Run | None = None

            def seen_body(*values: Any) -> Any:
                nonlocal run
                if kind == "while" and sys._getframe(1).f_code.co_name not in _PYTHON_WHILE:
                    return body(*values)
                run = run or opened.enter_context(self._loops.announce(frame, site))
                run.begin()
                self.bind(run, dict(zip(names, get_state(), strict=False)))
                try:
                    result = body(*values)
                finally:
                    run.at_header = True
                self.leave(run, dict(zip(names, get_state(), strict=False)))
                return result

            return original(*arguments[:at], seen_body, *arguments[at + 1 :])

    def bind(self, run: Run, values: dict[str, Any]) -> None:
        """Remember by which names an iteration knows tensors that ops made: these may be the loop's variables."""
        tensors = _tensors_of(values)
        found = {tensor._id: name for name, tensor in tensors.items()}
        if self._recording.states is not None:
            self._recording.states.begun.setdefault((run.path, run.number), []).append(tensors)
        if run.trips == 1:
            self._recording.entering[run.path] = (run.number, found)
        names = self._recording.bound.setdefault(run.path, {})
        for key, name in found.items():
            if key in self._recording.tensors:
                names.setdefault(key, name)

    def leave(self, run: Run, values: dict[str, Any]) -> None:
        """Remember what the names mean after an iteration; the last one to be told stays."""
        if self._recording.states is not None:
            self._recording.states.left[run.path, run.number] = _tensors_of(values)


def _tensors_of(values: dict[str, Any]) -> dict[str, Any]:
    """The tensors among the variables by name, those in a list or dict as ``states[0]``."""
    return {name: tensor for given, value in values.items() for name, tensor in _tensors_in(given, value)}


def _tensors_in(name: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, private.EagerTensor):
        return [(name, value)]
    many = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else ()
    few = itertools.islice(many, _LOOKED_INTO)
    return [(f"{name}[{k!r}]", v) for k, v in few if isinstance(v, private.EagerTensor)]


def _named_values(body: Any, values: tuple) -> dict[str, Any]:
    """The loop variables of tf.while_loop under the names of the body's parameters."""
    code = getattr(body, "__code__", None)
    names = code.co_varnames[: code.co_argcount] if code is not None else ()
    named = dict(zip(names, values, strict=False))
    rest = values[len(named) :]
    return {n: tf.nest.flatten(v) if isinstance(v, (list, tuple, dict)) else v for n, v in named.items()} | {
        "loop_vars": list(rest)
    }


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None
