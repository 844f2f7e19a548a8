"""The small line in a loop's header: the norm of the gradient by iteration, on a logarithmic scale, over all runs.

It takes only room that the header's words leave, so that no box grows or moves for it.
"""

from __future__ import annotations

import math
from itertools import groupby

from explorer.layout.metrics import width
from explorer.layout.sizes import HEADER, SYMBOL_ROOM
from explorer.layout.values import Box, Point
from explorer.model.graph import Loop
from explorer.model.verdict import Exploration
from explorer.rules.grid import iteration_means
from explorer.rules.watched import main_probe, trend_of

WIDE, TALL, NARROWEST = 52.0, 13.0, 30.0
_MOST = 40  # points; more cannot be told apart in this width
_LEAST_RANGE = 1.0  # decades: noise must not look like a trend


def spark_of(exploration: Exploration, loop: Loop) -> tuple[tuple[float | None, ...], str]:
    """The logarithms (to base 10) by iteration, None where there is no number; and the trend in a few words."""
    probe = main_probe(exploration, loop.id)
    if probe is None:
        return (), ""
    means = iteration_means(probe)
    logs = tuple(math.log10(norm) if norm else None for norm in means[:: math.ceil(len(means) / _MOST) or 1])
    drawn = sum(log is not None for log in logs) > 1
    return logs if drawn else (), trend_of(exploration, probe).short


def spark_lines(box: Box, corner: Point, w: float, title: str, subtitle: str) -> tuple[tuple[Point, ...], ...]:
    """Where the line goes in the header of a box that is placed; nothing where the words leave no room."""
    logs = [log for log in box.spark if log is not None]
    words = 29 + width(title, HEADER, True) + (8 + width(subtitle, HEADER - 1) if subtitle else 0)
    note = 14 + SYMBOL_ROOM + width(box.note, HEADER - 1, True) if box.note else 0.0
    room = min(WIDE, w - words - note - 12 - 14)
    if len(logs) < 2 or room < NARROWEST:
        return ()
    low, high = min(logs), max(logs)
    spread = max(high - low, _LEAST_RANGE)
    floor = (low + high - spread) / 2
    left, top = corner[0] + words + 12, corner[1] + 15.5 - TALL / 2
    step = room / (len(box.spark) - 1)
    places = [
        (round(left + step * at, 1), round(top + TALL * (1 - (log - floor) / spread), 1)) if log is not None else None
        for at, log in enumerate(box.spark)
    ]
    pieces = (tuple(filter(None, group)) for there, group in groupby(places, key=lambda p: p is not None) if there)
    return tuple(piece for piece in pieces if len(piece) > 1)
