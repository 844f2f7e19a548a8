"""Where each variable was made: a variable that is never read has no line in the graph, only at its birth."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterator
from types import FrameType
from typing import Any

from explorer.capture import private
from explorer.capture.lines import is_user_file
from explorer.model.graph import Location

_BORN = "_explorer_born"
_made: list[tuple[Location, str]] = []


@contextlib.contextmanager
def noting_births() -> Iterator[None]:
    """While active, every tf.Variable remembers the user's line that made it."""
    make = private.BaseResourceVariable.__init__

    def init(variable: Any, *arguments: Any, **named: Any) -> None:
        where = _users_line(sys._getframe(1))
        object.__setattr__(variable, _BORN, where)
        make(variable, *arguments, **named)
        if where is not None and getattr(variable, "trainable", False):
            _made.append((where, str(variable.name).split(":")[0].rsplit("/", 1)[-1]))

    private.BaseResourceVariable.__init__ = init
    try:
        yield
    finally:
        private.BaseResourceVariable.__init__ = make


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


def _users_line(frame: FrameType | None) -> Location | None:
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            return Location(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None
