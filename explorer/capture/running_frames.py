"""The frames of running Python code, as the rest of the capture reads frames."""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType

from explorer.capture.lines import FRAMES_KEPT, is_user_file, user_stack
from explorer.model.graph import Stack


@dataclass
class Frame:
    """A frame as ``user_stack`` and ``loop_api`` read it."""

    filename: str
    lineno: int
    name: str


def all_running(frame: FrameType | None) -> list[Frame]:
    """All frames from ``frame`` outwards, outermost first."""
    found = []
    while frame is not None:
        found.append(Frame(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return found[::-1]


def user_frames_of(frame: FrameType | None) -> Stack:
    """The user's frames from ``frame`` outwards."""
    found: list[Frame] = []
    while frame is not None and len(found) < FRAMES_KEPT:
        if is_user_file(frame.f_code.co_filename):
            found.append(Frame(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return user_stack(found[::-1])
