"""Many shapes as one trace: rows of points with a gap (NaN) after each."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from explorer.layout.geometry import Points

_GAP = np.array([[np.nan, np.nan]])


def batch(shapes: Iterable[Points]) -> tuple[Points, Points]:
    """x and y of all shapes."""
    rows = [part for shape in shapes for part in (shape, _GAP)]
    if not rows:
        return np.zeros(0), np.zeros(0)
    every = np.round(np.vstack(rows), 1)
    return every[:, 0], every[:, 1]
