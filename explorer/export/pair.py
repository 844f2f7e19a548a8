"""Two explorations as one picture: the nest before a change and after it, small, side by side, at one scale."""

from __future__ import annotations

from explorer.export.marks import document, fixed, rectangle, words
from explorer.export.svg import painted
from explorer.layout.metrics import elide
from explorer.layout.values import Scene
from explorer.rules.palette import THEMES, ThemeName

_PANEL, _TALLEST, _GAP, _EDGE, _HEAD = 560.0, 420.0, 16.0, 12.0, 34.0


def pair(before: tuple[str, Scene], after: tuple[str, Scene], theme: ThemeName = "light") -> str:
    """An SVG document; each side is what stands above it and what is drawn."""
    colours = THEMES[theme]
    scenes = before[1], after[1]
    room = _PANEL - 2 * _EDGE
    scale = min(1.0, *(min(room / scene.width, _TALLEST / scene.height) for scene in scenes))
    tall = _HEAD + scale * max(scene.height for scene in scenes) + _EDGE
    wide = 2 * _PANEL + _GAP
    rows: list[str] = []
    for number, (title, scene) in enumerate((before, after)):
        x = (room - scale * scene.width) / 2 + _EDGE
        rows += [
            f'<g transform="translate({fixed(number * (_PANEL + _GAP))} 0)">',
            rectangle(0.5, 0.5, _PANEL - 1, tall - 1, 8, colours.page, colours.box_lines[0], 1),
            words(_EDGE, 22, elide(title, 13, room, True), 13, colours.ink, True, hint=title),
            f'<g transform="translate({fixed(x)} {fixed(_HEAD)}) scale({scale:.4f})">',
            *painted(scene, theme),
            "</g>",
            "</g>",
        ]
    return document(wide, tall, "Before and after", colours.page, rows)
