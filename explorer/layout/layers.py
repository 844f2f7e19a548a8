"""One level of the fast layout: longest-path layers, positions by a few sweeps of averaging."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from explorer.layout.circles import circle_closers

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GAP_X, GAP_Y, SWEEPS = 18.0, 34.0, 6


def layered(sizes: Floats, links: list[tuple[int, int]], first: list[int], last: list[int]) -> tuple[Floats, Floats]:
    """Centres of items with these widths and heights; ``first`` stand in the first layer, ``last`` in the last."""
    count = len(sizes)
    if not count:
        return np.zeros(0), np.zeros(0)
    pinned = set(first) | set(last)
    links = [pair for pair in links if pair[0] != pair[1]]
    closing = circle_closers(count, links)
    links = list(dict.fromkeys((end, start) if (start, end) in closing else (start, end) for start, end in links))
    layer = _longest_paths(count, links, pinned, 1 if first else 0)
    for item in first:
        layer[item] = 0
    deepest = max((layer[item] for item in range(count) if item not in pinned), default=0)
    for item in last:
        layer[item] = deepest + 1
    x = _sweep(sizes[:, 0], np.array(layer), links)
    heights = np.zeros(max(layer) + 1)
    np.maximum.at(heights, np.array(layer), sizes[:, 1])
    middles = np.cumsum(heights + GAP_Y * (heights > 0)) - heights / 2
    return x, middles[np.array(layer)]


def _longest_paths(count: int, links: list[tuple[int, int]], pinned: set[int], lowest: int) -> list[int]:
    after: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    layer = [0 if item in pinned else lowest for item in range(count)]
    for start, end in links:
        after[start].append(end)
        waiting[end] += 1
    ready = deque(item for item in range(count) if not waiting[item])
    while ready:
        item = ready.popleft()
        for end in after[item]:
            layer[end] = max(layer[end], layer[item] + 1)
            waiting[end] -= 1
            if not waiting[end]:
                ready.append(end)
    return layer


def _sweep(widths: Floats, layer: Ints, links: list[tuple[int, int]]) -> Floats:
    """Every layer in turn is drawn to the mean of its neighbours, and spread so that nothing overlaps."""
    depth = int(layer.max()) + 1
    x = np.zeros(len(widths))
    rows = [np.flatnonzero(layer == level) for level in range(depth)]
    for level in range(depth):
        rows[level] = _spread(x, widths, rows[level], np.zeros(len(rows[level])))
    if not links:
        return x
    start, end = np.array(links).T
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        key, other = (end, start) if down else (start, end)
        order = np.argsort(layer[key], kind="stable")
        key, other = key[order], other[order]
        bounds = np.searchsorted(layer[key], np.arange(depth + 1))
        for level in range(depth) if down else range(depth - 1, -1, -1):
            row = rows[level]
            piece = slice(bounds[level], bounds[level + 1])
            sums = np.bincount(key[piece], weights=x[other[piece]], minlength=len(widths))[row]
            seen = np.bincount(key[piece], minlength=len(widths))[row]
            rows[level] = _spread(x, widths, row, np.where(seen > 0, sums / np.maximum(seen, 1), x[row]))
    return x


def _spread(x: Floats, widths: Floats, row: Ints, wanted: Floats) -> Ints:
    """Put a row as near to its wanted places as it goes without overlap (pooling neighbours); returns its order."""
    if not len(row):
        return row
    order = np.argsort(wanted, kind="stable")
    row, wanted = row[order], wanted[order]
    w = widths[row]
    steps = np.r_[0, np.cumsum((w[:-1] + w[1:]) / 2 + GAP_X)]
    values: list[float] = []
    weights: list[int] = []
    for value in (wanted - steps).tolist():
        values.append(value)
        weights.append(1)
        while len(values) > 1 and values[-2] > values[-1]:
            last, weight = values.pop(), weights.pop()
            values[-1] = (values[-1] * weights[-1] + last * weight) / (weights[-1] + weight)
            weights[-1] += weight
    x[row] = np.repeat(values, weights) + steps
    return row
