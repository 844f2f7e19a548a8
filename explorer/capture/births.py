"""Where each variable was made, and where it was copied before the function ran.

A variable that is never read has no line in the graph, only at its birth; one that was copied at construction
(``tf.concat`` of weights, ``w + 0``) is a constant to the graph.
"""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from explorer.capture import private
from explorer.capture.running_frames import innermost_user_line
from explorer.model.graph import Location

_BORN = "_explorer_born"
_COPIED = "_explorer_copied"
_before = [True]  # until the function begins
_made: list[tuple[Location, str]] = []


@contextlib.contextmanager
def noting_births(closely: bool) -> Iterator[None]:
    """While active, every tf.Variable remembers the user's line that made it.

    ``closely``: also variables passed straight to an op are seen being read before the function begins. TensorFlow's
    C fast path reads them without a word, so it is made to fall back to Python until then.
    """
    make, read = private.BaseResourceVariable.__init__, private.BaseResourceVariable._read_variable_op

    def init(variable: Any, *arguments: Any, **named: Any) -> None:
        where = innermost_user_line(sys._getframe(1))
        object.__setattr__(variable, _BORN, where)
        make(variable, *arguments, **named)
        if where is None or isinstance(variable, private.UnreadVariable):
            return  # what assign() returns looks like a new variable, and has no name yet
        if getattr(variable, "trainable", False):
            _made.append((where, str(variable.name).split(":")[0].rsplit("/", 1)[-1]))

    def read_variable_op(variable: Any, *arguments: Any, **named: Any) -> Any:
        if _before[0] and not hasattr(variable, _COPIED):
            object.__setattr__(variable, _COPIED, innermost_user_line(sys._getframe(1)))
        return read(variable, *arguments, **named)

    private.BaseResourceVariable.__init__, private.BaseResourceVariable._read_variable_op = init, read_variable_op
    _before[0] = True
    fast = private.pywrap_tfe.TFE_Py_FastPathExecute

    def fast_path(*arguments: Any) -> Any:
        if _before[0] and closely:
            raise private.FallbackException("a variable may be read here")
        return fast(*arguments)

    private.pywrap_tfe.TFE_Py_FastPathExecute = fast_path
    try:
        yield
    finally:
        private.pywrap_tfe.TFE_Py_FastPathExecute = fast
        private.BaseResourceVariable.__init__, private.BaseResourceVariable._read_variable_op = make, read


def function_begins() -> None:
    """From now on reading a variable is part of the program; what was read before was copied."""
    _before[0] = False


def copied(variable: Any) -> Location | None:
    """The user's line at which a variable's value was first read before the function began."""
    return getattr(variable, _COPIED, None)


def born(variable: Any) -> Location | None:
    """The user's line that made a variable; None where it was not noted."""
    return getattr(variable, _BORN, None)


def count() -> int:
    """How many trainable variables were made so far."""
    return len(_made)


def made_again(since: int) -> list[tuple[Location, int]]:
    """Lines that made the same variable more than once since ``count()`` gave ``since``, with how many they made."""
    recent = Counter(_made[since:])
    lines = {where for (where, _), times in recent.items() if times > 1}
    return sorted(
        ((line, sum(n for (where, _), n in recent.items() if where == line)) for line in lines),
        key=lambda row: (row[0].file, row[0].line),
    )
