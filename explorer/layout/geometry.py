"""Curves: smoothing, rounded corners, arrow heads, dashes. Points are rows of an array, y grows downwards."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from explorer.layout.values import Point

Points = NDArray[np.float64]


def bezier(control: Points, steps: int = 9) -> Points:
    """A chain of cubic curves (3k + 1 control points) as a polyline."""
    pieces = [control[:1]]
    t = np.linspace(0, 1, steps)[1:, None]
    for first in range(0, len(control) - 3, 3):
        a, b, c, d = control[first : first + 4]
        pieces.append((1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t * t * c + t**3 * d)
    return np.vstack(pieces)


def smooth(points: Points, step: float = 5.0, sigma: float = 7.0) -> Points:
    """Evenly spaced points, blurred along the way with both ends pinned: hides the corners of piecewise routes."""
    way = np.r_[0, np.cumsum(np.hypot(*np.diff(points, axis=0).T))]
    keep = np.r_[True, np.diff(way) > 1e-9]
    way, points = way[keep], points[keep]
    count, reach = int(way[-1] / step), int(3 * sigma / step)
    if count < 12:
        return points
    t = np.linspace(0, way[-1], count)
    even = np.c_[np.interp(t, way, points[:, 0]), np.interp(t, way, points[:, 1])]
    padded = np.vstack([2 * even[0] - even[reach:0:-1], even, 2 * even[-1] - even[-2 : -reach - 2 : -1]])
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / sigma) ** 2)
    weights /= weights.sum()
    return np.c_[np.convolve(padded[:, 0], weights, "valid"), np.convolve(padded[:, 1], weights, "valid")]


def round_corners(corners: list[Point], radius: float = 7.0, steps: int = 5) -> Points:
    """A polyline with its corners rounded."""
    rows = [np.asarray(corners[0], float)[None]]
    t = np.linspace(0, 1, steps)[:, None]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        a, b, c = np.asarray(before, float), np.asarray(corner, float), np.asarray(after, float)
        back, on = float(np.linalg.norm(a - b)), float(np.linalg.norm(c - b))
        cut = min(radius, back / 2, on / 2)
        u, v = b + (a - b) / max(back, 1e-9) * cut, b + (c - b) / max(on, 1e-9) * cut
        rows.append((1 - t) ** 2 * u + 2 * t * (1 - t) * b + t * t * v)
    rows.append(np.asarray(corners[-1], float)[None])
    return np.vstack(rows)


def rounded_rectangle(x: float, y: float, w: float, h: float, radius: float, steps: int = 5) -> Points:
    """A closed outline; ``x``, ``y`` is the top left corner."""
    r = min(radius, w / 2, h / 2)
    corners = ((x + w - r, y + h - r, 0), (x + r, y + h - r, 90), (x + r, y + r, 180), (x + w - r, y + r, 270))
    rows = []
    for cx, cy, start in corners:
        for step in range(steps + 1):
            angle = math.radians(start + 90 * step / steps)
            rows.append((cx + r * math.cos(angle), cy + r * math.sin(angle)))
    return np.array([*rows, rows[0]])


def to_border(points: Points, box: tuple[float, float, float, float]) -> Points:
    """Lengthen a polyline's end, in its own direction, to a card (x, y, w, h): routes end at a slightly larger node."""
    x, y, w, h = box
    end, back = points[-1], points[max(len(points) - 4, 0)]
    span = float(np.hypot(*(end - back)))
    ahead = end + (end - back) / max(span, 1e-9) * np.linspace(0, 24, 49)[:, None]
    inside = (ahead[:, 0] >= x) & (ahead[:, 0] <= x + w) & (ahead[:, 1] >= y) & (ahead[:, 1] <= y + h)
    hit = ahead[int(inside.argmax())] if inside.any() and not inside[0] else end
    inset = 5.0
    aim = np.array([min(max(hit[0], x), x + w), min(max(hit[1], y), y + h)])
    sides = np.abs([aim[1] - y, y + h - aim[1], aim[0] - x, x + w - aim[0]])
    side = int(sides.argmin())
    if side < 2:
        border = np.array([min(max(aim[0], x + inset), x + w - inset), (y, y + h)[side]])
    else:
        border = np.array([(x, x + w)[side - 2], min(max(aim[1], y + inset), y + h - inset)])
    return np.vstack([points, border])


def arrow(points: tuple[Point, ...] | Points, length: float = 9.0, half: float = 3.7) -> tuple[Points, Points]:
    """The arrow head's outline and the polyline shortened to its base."""
    way = np.asarray(points, float)
    tip, place = way[-1], len(way) - 2
    while place > 0 and np.linalg.norm(tip - way[place]) < length * 0.8:
        place -= 1
    along = tip - way[place]
    span = float(np.linalg.norm(along))
    along = along / span if span > 1e-9 else np.array([0.0, 1.0])
    across, base = np.array([-along[1], along[0]]), tip - along * length
    head = np.array([tip, base + across * half, base + along * length * 0.22, base - across * half, tip])
    return head, np.vstack([way[: place + 1], tip - along * min(length * 0.7, span)])


def along(points: Points, distance: float) -> Point:
    """The point this far before the end, or the middle of a way too short for that."""
    way = np.r_[0, np.cumsum(np.hypot(*np.diff(points, axis=0).T))]
    at = max(way[-1] - distance, way[-1] / 2)
    return float(np.interp(at, way, points[:, 0])), float(np.interp(at, way, points[:, 1]))


def thinned(points: Points, turn: float = 0.05) -> Points:
    """The same curve with points only where it bends: straight runs need none (``turn`` is in radians)."""
    if len(points) < 4:
        return points
    steps = np.diff(points, axis=0)
    heading = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    bends = np.floor(np.cumsum(np.abs(np.diff(heading))) / turn)
    keep = np.r_[True, np.diff(bends, prepend=0) > 0, True]
    keep[:-1] |= keep[1:]  # the point before a bend too, so that a corner stays where it is
    return points[keep]


def plain(points: Points) -> tuple[Point, ...]:
    """Rows as a tuple of pairs, rounded: a scene must come out the same to the byte."""
    return tuple((x, y) for x, y in np.round(np.asarray(points, float), 1).tolist())
