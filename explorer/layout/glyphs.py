"""The symbols of the statuses as strokes in a square from -1 to 1, y downwards: lines, never font glyphs."""

from __future__ import annotations

import math

Stroke = tuple[tuple[float, float], ...]


def _arc(start: float, end: float, radius: float = 1.0, steps: int = 16) -> Stroke:
    angles = [math.radians(start + (end - start) * step / steps) for step in range(steps + 1)]
    return tuple((radius * math.cos(angle), radius * math.sin(angle)) for angle in angles)


_RING = _arc(0, 360)
_BAR: Stroke = ((-0.7, 0.7), (0.7, -0.7))

GLYPHS: dict[str, tuple[Stroke, ...]] = {
    "check": (((-0.9, 0.05), (-0.3, 0.7), (0.9, -0.7)),),
    "ring": (_RING,),
    "barred-ring": (_RING, ((-1.1, 0.0), (1.1, 0.0))),
    "barred": (_RING, _BAR),
    "gap": (
        ((-1.0, 0.0), (-0.35, 0.0)),
        ((0.35, 0.0), (1.0, 0.0)),
        ((-0.35, -0.6), (-0.35, 0.6)),
        ((0.35, -0.6), (0.35, 0.6)),
    ),
    "down": (((0.0, -0.9), (0.0, 0.9)), ((-0.6, 0.2), (0.0, 0.9), (0.6, 0.2))),
    "up": (((0.0, 0.9), (0.0, -0.9)), ((-0.6, -0.2), (0.0, -0.9), (0.6, -0.2))),
    "cross": (((-0.75, -0.75), (0.75, 0.75)), ((-0.75, 0.75), (0.75, -0.75))),
    "bowtie": (((-0.9, -0.6), (-0.9, 0.6), (0.9, -0.6), (0.9, 0.6), (-0.9, -0.6)),),
    "bang": (((0.0, -0.95), (0.0, 0.25)), ((0.0, 0.7), (0.0, 0.85))),
    "query": (
        ((-0.5, -0.5), (-0.3, -0.85), (0.1, -0.95), (0.5, -0.7), (0.5, -0.3), (0.0, 0.05), (0.0, 0.3)),
        ((0.0, 0.72), (0.0, 0.85)),
    ),
    "dot": (_arc(0, 360, 0.3, 8),),
    "loop": (_arc(-60, 215), ((-1.15, -0.95), (-0.85, -0.5), (-0.35, -0.75))),
}


def strokes(symbol: str, x: float, y: float, radius: float) -> tuple[Stroke, ...]:
    """A symbol's strokes around a centre."""
    return tuple(tuple((x + radius * px, y + radius * py) for px, py in stroke) for stroke in GLYPHS[symbol])
