"""Heat maps as one SVG picture, painted by hand like the nest: one panel for each watched loop.

Cells of one colour are one path, so that a map of many thousand cells stays small.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from explorer.export.marks import document, fixed, glyph, path, rectangle, words
from explorer.layout.metrics import wrap
from explorer.model.case import BadInput
from explorer.model.verdict import Exploration
from explorer.rules.grid import (
    Cell,
    Grid,
    cell_kind,
    column_profile,
    decades,
    grid,
    has_numbers,
    log_range,
    power,
    row_profile,
)
from explorer.rules.palette import THEMES, Theme, ThemeName, heat
from explorer.rules.statuses import look
from explorer.rules.watched import main_probe, trend_of, watched_loops

WIDTH = 900.0
_EDGE, _LEFT, _MAP, _SIDE, _TOP = 20.0, 84.0, 590.0, 70.0, 44.0
_SHADES = 48
_ODD: dict[Cell, str] = {"nan": "NaN", "inf": "infinite", "zero": "exactly zero"}


@dataclass(frozen=True)
class Panel:
    """One map with what is said about it."""

    table: Grid
    sentence: str


@dataclass(frozen=True)
class _Frame:
    """Where a map stands: the corner of its cells, the size of one cell, the range of the scale."""

    x: float
    y: float
    w: float
    h: float
    low: float
    high: float

    def share(self, norm: float) -> float:
        return (math.log10(norm) - self.low) / (self.high - self.low)


def heat_of(exploration: Exploration, theme: ThemeName = "light", title: str = "") -> str:
    """One map for each watched loop: its gradient, else its value."""
    loops = [loop.id for loop in watched_loops(exploration)]
    found = [main_probe(exploration, loop) or main_probe(exploration, loop, "forward") for loop in loops]
    panels = [Panel(grid(exploration, probe), trend_of(exploration, probe).sentence) for probe in found if probe]
    if not panels:
        raise BadInput("There is no heat map to draw: no iteration was watched (--probe watches them).")
    return heat_svg(panels, theme, title)


def heat_svg(panels: Sequence[Panel], theme: ThemeName = "light", title: str = "") -> str:
    """All panels below each other."""
    colours = THEMES[theme]
    rows: list[str] = [words(_EDGE, 36, title, 19, colours.ink, True)] if title else []
    y = 52.0 if title else 16.0
    for panel in panels:
        drawn, tall = _panel(panel, y, colours, theme)
        rows += drawn
        y += tall
    return document(WIDTH, y, title or "Gradient by iteration", colours.page, rows) + "\n"


def _panel(panel: Panel, top: float, colours: Theme, theme: ThemeName) -> tuple[list[str], float]:
    """The elements and the height they take."""
    table = panel.table
    head = ", ".join(filter(None, (f"{table.title} in {table.loop}", table.held)))
    rows = [words(_EDGE, top + 18, head, 14, colours.ink, True)]
    y = top + 24
    for line in wrap(panel.sentence, 12.5, WIDTH - 2 * _EDGE):
        y += 17
        rows.append(words(_EDGE, y, line, 12.5, colours.faint))
    odd = [kind for kind in _ODD if any(cell_kind(norm) == kind for row in table.cells for norm in row)]
    if odd:
        y += 22
        rows += _legend(odd, y, colours, theme)
    y += 14
    if not table.columns:
        return rows, y + 14 - top
    single = len(table.rows) < 2
    tall = 170.0 if single else min(max(24.0 * len(table.rows), 116), 420)
    low, high = log_range(table)
    start = y if single else y + _TOP + 6
    frame = _Frame(_LEFT, start, _MAP / max(table.columns, 1), tall / max(len(table.rows), 1), low, high)
    rows += _line(table, frame, tall, colours, theme) if single else _map(table, frame, tall, y, colours, theme)
    rows += _steps(table, frame, start + tall, colours)
    return rows, start + tall + 56 - top


def _map(table: Grid, frame: _Frame, tall: float, top: float, colours: Theme, theme: ThemeName) -> list[str]:
    rows = [f'<g shape-rendering="crispEdges">{"".join(_cells(table, frame))}</g>']
    rows += _odd_cells(table, frame, theme)
    rows.append(rectangle(frame.x, frame.y, _MAP, tall, 0, "none", colours.box_lines[1], 1))
    every = max(1, math.ceil(16 * len(table.rows) / tall))
    for place in range(0, len(table.rows), every):
        middle = frame.y + (place + 0.5) * frame.h
        rows.append(words(frame.x - 6, middle + 4, table.rows[place], 11, colours.faint, anchor="end"))
    rows.append(_upright(26, frame.y + tall / 2, table.down, colours))
    if not has_numbers(table):
        return rows
    rows += _column_mean(table, frame, top, colours)
    rows += _row_mean(table, frame, tall, colours)
    return rows + _bar(frame, tall, colours)


def _cells(table: Grid, frame: _Frame) -> list[str]:
    """One path for each shade; neighbours of one shade in a row are one rectangle."""
    shapes: dict[int, list[str]] = defaultdict(list)
    gap = 1.0 if frame.w > 14 and frame.h > 8 else 0.0
    for row, norms in enumerate(table.cells):
        shades = [
            round(frame.share(n) * _SHADES) if n is not None and cell_kind(n) == "number" else None for n in norms
        ]
        y = frame.y + row * frame.h
        for shade, group in groupby(enumerate(shades), key=lambda pair: (pair[1], gap and pair[0])):
            steps = [step for step, _ in group]
            if shade[0] is not None:
                x, w = frame.x + steps[0] * frame.w, len(steps) * frame.w - gap
                shapes[shade[0]].append(f"M{x:.2f},{y:.2f}h{w:.2f}v{frame.h - gap:.2f}h{-w:.2f}z")
    return [f'<path fill="{heat(shade / _SHADES)}" d="{"".join(shapes[shade])}"/>' for shade in sorted(shapes)]


def _odd_cells(table: Grid, frame: _Frame, theme: ThemeName) -> list[str]:
    """A sign on the bare page; where cells are too small for one, a plain patch of the sign's colour."""
    rows = []
    radius = min(frame.w, frame.h) / 2 - 2
    for row, norms in enumerate(table.cells):
        for step, norm in enumerate(norms):
            kind = cell_kind(norm)
            if kind not in _ODD:
                continue
            style = look(kind)
            x, y = frame.x + step * frame.w, frame.y + row * frame.h
            if radius < 2.5:
                rows.append(rectangle(x, y, frame.w, frame.h, 0, style.colour(theme), "none", 0))
            else:
                middle = (x + frame.w / 2, y + frame.h / 2)
                rows.append(glyph(style.symbol, *middle, min(radius, 6), style.colour(theme), 1.8))
    return rows


def _line(table: Grid, frame: _Frame, tall: float, colours: Theme, theme: ThemeName) -> list[str]:
    norms = table.cells[0] if table.cells else ()
    rows = []
    for log in decades(frame.low, frame.high):
        y = _height(frame, tall, log)
        rows.append(path([(frame.x, y), (frame.x + _MAP, y)], colours.box_lines[0], 1, ()))
        rows.append(words(frame.x - 6, y + 4, power(log), 11, colours.faint, anchor="end"))
    rows.append(_upright(26, frame.y + tall / 2, f"{table.title}, L2 norm", colours))
    places = [
        (frame.x + (step + 0.5) * frame.w, _height(frame, tall, math.log10(norm))) if _is_number(norm) else None
        for step, norm in enumerate(norms)
        for norm in [norm or 0.0]
    ]
    rows += _polyline(places, colours.box_titles[0])
    for step, norm in enumerate(norms):
        kind = cell_kind(norm)
        if kind in _ODD:
            style = look(kind)
            x = frame.x + (step + 0.5) * frame.w
            rows.append(glyph(style.symbol, x, frame.y + tall - 8, 5, style.colour(theme), 1.8))
    rows.append(path([(frame.x, frame.y + tall), (frame.x + _MAP, frame.y + tall)], colours.box_lines[1], 1, ()))
    return rows


def _is_number(norm: float | None) -> bool:
    return cell_kind(norm) == "number"


def _height(frame: _Frame, tall: float, log: float) -> float:
    return frame.y + 8 + (tall - 24) * (frame.high - log) / (frame.high - frame.low)


def _polyline(places: Sequence[tuple[float, float] | None], colour: str) -> list[str]:
    """A line with a dot at every place, broken where there is none."""
    rows = []
    for there, group in groupby(places, key=lambda place: place is not None):
        points = [place for place in group if place is not None]
        if there and len(points) > 1:
            rows.append(path(points, colour, 1.6, ()))
        if there and len(places) <= 60:
            rows += [f'<circle cx="{fixed(x)}" cy="{fixed(y)}" r="2.4" fill="{colour}"/>' for x, y in points]
    return rows


def _column_mean(table: Grid, frame: _Frame, top: float, colours: Theme) -> list[str]:
    """The profile above the map, on the same scale."""
    places = [
        (frame.x + (step + 0.5) * frame.w, top + 4 + (_TOP - 8) * (1 - frame.share(norm))) if norm else None
        for step, norm in enumerate(column_profile(table))
    ]
    label = words(frame.x - 6, top + _TOP / 2 + 4, "mean", 11, colours.faint, anchor="end")
    return [label, *_polyline(places, colours.box_titles[0])]


def _row_mean(table: Grid, frame: _Frame, tall: float, colours: Theme) -> list[str]:
    x = frame.x + _MAP + 12
    places = [
        (x + _SIDE * frame.share(norm), frame.y + (row + 0.5) * frame.h) if norm else None
        for row, norm in enumerate(row_profile(table))
    ]
    label = words(x + _SIDE / 2, frame.y + tall + 16, "mean", 11, colours.faint, anchor="middle")
    return [label, *_polyline(places, colours.box_titles[0])]


def _bar(frame: _Frame, tall: float, colours: Theme) -> list[str]:
    """The scale with its ticks."""
    x, parts = frame.x + _MAP + 12 + _SIDE + 24, 40
    rows = [words(x, frame.y - 10, "L2 norm", 11, colours.faint)]
    for part in range(parts):
        y = frame.y + tall * (1 - (part + 1) / parts)
        rows.append(rectangle(x, y, 12, tall / parts + 0.5, 0, heat((part + 0.5) / parts), "none", 0))
    for log in decades(frame.low, frame.high):
        y = frame.y + tall * (frame.high - log) / (frame.high - frame.low)
        rows.append(words(x + 18, y + 4, power(log), 11, colours.faint))
    return rows


def _steps(table: Grid, frame: _Frame, y: float, colours: Theme) -> list[str]:
    every = max(1, math.ceil(28 / frame.w))
    every = next((step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500) if step >= every), every)
    rows = [
        words(frame.x + (step + 0.5) * frame.w, y + 16, str(step), 11, colours.faint, anchor="middle")
        for step in range(0, table.columns, every)
    ]
    return [*rows, words(frame.x + _MAP / 2, y + 36, table.across, 12, colours.ink, anchor="middle")]


def _upright(x: float, y: float, text: str, colours: Theme) -> str:
    turned = words(0, 0, text, 12, colours.ink, anchor="middle")
    return f'<g transform="translate({fixed(x)} {fixed(y)}) rotate(-90)">{turned}</g>'


def _legend(kinds: Sequence[Cell], y: float, colours: Theme, theme: ThemeName) -> list[str]:
    rows, x = [], _EDGE + 6
    for kind in kinds:
        style = look(kind)
        rows.append(glyph(style.symbol, x, y - 4, 5, style.colour(theme), 1.8))
        rows.append(words(x + 11, y, _ODD[kind], 12, colours.ink))
        x += 110
    return rows
