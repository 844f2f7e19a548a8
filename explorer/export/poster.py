"""A comparison as one picture: every strategy's nest, small, with its verdict and its time as a bar."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from explorer.export.marks import document, fixed, rectangle, words
from explorer.export.svg import painted
from explorer.layout.metrics import elide, wrap
from explorer.layout.nest import decide
from explorer.layout.values import Nest, Scene
from explorer.model.comparison import Comparison, Row
from explorer.rules.palette import THEMES, Theme, ThemeName
from explorer.rules.statuses import look

COLUMNS = 4
_CELL, _TALL, _GAP, _EDGE = 300.0, 268.0, 16.0, 20.0
_PICTURE = (276.0, 150.0)
_LONGEST = 190.0  # of a bar


def scenes_of(comparison: Comparison, placing: Callable[[Nest], Scene]) -> dict[str, Scene]:
    """The nests that can be drawn, loops only."""
    drawn = {row.strategy: row.explored for row in comparison.rows if row.explored and row.explored.snapshot}
    return {key: placing(decide(explored, "nest")) for key, explored in drawn.items()}


def poster(
    comparison: Comparison, scenes: Mapping[str, Scene], theme: ThemeName = "light", title: str = "Ways to build a loop"
) -> str:
    """An SVG document; bars are on a logarithmic scale, from the fastest to the slowest step with gradients."""
    colours = THEMES[theme]
    columns = max(1, min(COLUMNS, len(comparison.rows)))
    lines = math.ceil(len(comparison.rows) / columns)
    wide = 2 * _EDGE + max(columns, 2) * (_CELL + _GAP) - _GAP
    reason = wrap(comparison.reason, 13, 0.86 * (wide - 2 * _EDGE))  # where Lato is missing, letters are wider
    top = 56.0 + 18 * len(reason)
    tall = top + lines * (_TALL + _GAP) + _EDGE
    steps = [row.step for row in comparison.rows if row.step]
    cells = []
    for number, row in enumerate(comparison.rows):
        x = _EDGE + (number % columns) * (_CELL + _GAP)
        y = top + (number // columns) * (_TALL + _GAP)
        bar = _bar(row.step, min(steps), max(steps)) if row.step else 0.0
        best = row.strategy == comparison.recommended
        cells += [f'<g transform="translate({fixed(x)} {fixed(y)})">', *_cell(row, scenes, bar, best, theme), "</g>"]
    heading = [
        words(_EDGE, 36, title, 19, colours.ink, True),
        *(words(_EDGE, 58 + 18 * n, line, 13, colours.faint) for n, line in enumerate(reason)),
    ]
    return document(wide, tall, title, colours.page, [*heading, *cells])


def _cell(row: Row, scenes: Mapping[str, Scene], bar: float, best: bool, theme: ThemeName) -> list[str]:
    colours = THEMES[theme]
    line = look("flows").colour(theme) if best else colours.box_lines[0]
    parts = [rectangle(0, 0, _CELL, _TALL, 8, colours.page, line, 2.5 if best else 1)]
    parts.append(words(12, 22, elide(row.title, 13, _CELL - 24, True), 13, colours.ink, True, hint=row.strategy))
    parts += [words(12, 40, elide(_facts(row), 11, _CELL - 24), 11, colours.faint)]
    scene = scenes.get(row.strategy)
    if scene is not None:
        parts += _small(scene, theme)
    else:
        told = wrap(row.verdict or "has not run", 11, _CELL - 24)[:8]
        parts += [words(12, 66 + 15 * n, text, 11, colours.faint) for n, text in enumerate(told)]
    return parts + _foot(row, bar, colours, theme)


def _small(scene: Scene, theme: ThemeName) -> list[str]:
    wide, tall = _PICTURE
    factor = min(wide / scene.width, tall / scene.height, 1.0)
    x, y = 12 + (wide - factor * scene.width) / 2, 50 + (tall - factor * scene.height) / 2
    return [f'<g transform="translate({fixed(x)} {fixed(y)}) scale({factor:.4f})">', *painted(scene, theme), "</g>"]


def _foot(row: Row, bar: float, colours: Theme, theme: ThemeName) -> list[str]:
    colour = look("flows").colour(theme) if row.healthy else look("blocked").colour(theme)
    parts = [words(12, 222, elide(_flowing(row), 11, _CELL - 24), 11, colour, True)]
    if bar:
        parts.append(rectangle(12, 234, bar, 14, 3, colour, colour, 0))
        parts.append(words(18 + bar, 246, f"{1000 * (row.step or 0.0):.1f} ms a step", 11, colours.ink))
    return parts


def _bar(step: float, least: float, most: float) -> float:
    if most <= least:
        return _LONGEST / 2
    return 12 + (_LONGEST - 12) * math.log(step / least) / math.log(most / least)


def _facts(row: Row) -> str:
    trips = " × ".join(loop.trip for loop in row.loops)
    facts = [f"{row.way}", f"trips {trips}" if trips else "no loop", f"{row.ops} ops" if row.ops else ""]
    return " · ".join(filter(None, facts))


def _flowing(row: Row) -> str:
    if not row.statuses:
        return row.outcome
    equal = {True: ", equal to the reference", False: ", DIFFERENT from the reference", None: ""}[row.agrees]
    return f"{row.flowing} gradients flow{equal}"
