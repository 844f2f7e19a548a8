"""What a layout engine answers: bare rectangles and polylines."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.layout.geometry import Points

Rectangle = tuple[float, float, float, float]
"""x, y of the top left corner, width, height."""


@dataclass(frozen=True)
class Raw:
    """Rectangles of cards and boxes by id, a polyline for every link placed by its number."""

    cards: dict[str, Rectangle]
    boxes: dict[str, Rectangle]
    routes: dict[int, Points]
