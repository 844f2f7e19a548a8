"""Loop-carried edges: tracks from the chips at the bottom of a box, along its right margin, to those at the top."""

from __future__ import annotations

from explorer.layout.geometry import Points, round_corners
from explorer.layout.raw import Rectangle

PITCH = 6.5


def margin(tracks: int) -> float:
    """The margin a box needs on every side for this many tracks."""
    return max(22.0, 14.0 + PITCH * tracks + 6.0) if tracks else 18.0


def track(start: Rectangle, end: Rectangle, box: Rectangle, lane: int, lanes: int) -> Points:
    """From the bottom of ``start`` to the top of ``end``; lane 0 is the outermost."""
    right = box[0] + box[2] - 8 - PITCH * lane
    rise = 6 + 5 * (lanes - 1 - lane)
    x0, y0 = start[0] + start[2] / 2, start[1] + start[3]
    x1, y1 = end[0] + end[2] / 2, end[1]
    down, up = y0 + rise, y1 - 3 - rise
    return round_corners([(x0, y0), (x0, down), (right, down), (right, up), (x1, up), (x1, y1)])
