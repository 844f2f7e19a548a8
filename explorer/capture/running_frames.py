"""The frames of running Python code, as the rest of the capture reads frames.

Code that AutoGraph converted runs from a generated file, in eager mode too (``tf.map_fn`` converts its function): its
frames stand for the lines they were written from.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType

from explorer.capture import private
from explorer.capture.lines import FRAMES_KEPT, is_user_file, user_stack
from explorer.model.graph import Location, Stack


@dataclass
class Frame:
    """A frame as ``user_stack`` and ``loop_api`` read it."""

    filename: str
    lineno: int
    name: str


def all_running(frame: FrameType | None) -> list[Frame]:
    """All frames from ``frame`` outwards, outermost first."""
    return list(_outwards(frame))[::-1]


def innermost_user_line(frame: FrameType | None) -> Location | None:
    """The first line of the user's from ``frame`` outwards."""
    found = next((f for f in _outwards(frame) if is_user_file(f.filename)), None)
    return Location(found.filename, found.lineno, found.name) if found is not None else None


def user_frames_of(frame: FrameType | None) -> Stack:
    """The user's frames from ``frame`` outwards. Asked for every op that runs, so foreign frames must cost little."""
    found: list[Frame] = []
    while frame is not None and len(found) < FRAMES_KEPT:
        file = frame.f_code.co_filename
        if (is_user_file(file) or _is_generated(file)) and is_users(frame):
            found.append(as_written(frame))
        frame = frame.f_back
    return user_stack(found[::-1])


def as_written(frame: FrameType) -> Frame:
    """A frame, at the line its code was written on."""
    code = frame.f_code
    if _is_generated(code.co_filename):
        return _before_conversion(code.co_filename, frame.f_lineno, code.co_name)
    return Frame(code.co_filename, frame.f_lineno, code.co_name)


def is_users(frame: FrameType) -> bool:
    """Whether a frame is the user's own code, converted or not."""
    return is_user_file(as_written(frame).filename)


def _outwards(frame: FrameType | None) -> Iterator[Frame]:
    while frame is not None:
        yield as_written(frame)
        frame = frame.f_back


@functools.cache
def _is_generated(filename: str) -> bool:
    return os.path.basename(filename).startswith("__autograph_generated_file")


@functools.cache
def _before_conversion(filename: str, line: int, name: str) -> Frame:
    found = private.before_conversion(filename, line)
    return Frame(found[0], found[1], found[2] or name) if found is not None else Frame(filename, line, name)
