"""The legend of an image file: only what the picture shows."""

from __future__ import annotations

from explorer.export.marks import element, glyph, path, rectangle, words
from explorer.layout.values import Scene
from explorer.rules.palette import THEMES, ThemeName
from explorer.rules.statuses import EDGE_STATUSES, STATUSES, look

LEGEND_WIDTH = 280.0
_ROW, _GAP, _TOP = 20.0, 10.0, 34.0
NOTES = ("Arrows show data; the gradient runs against them.",)


def _shown(scene: Scene) -> tuple[list[str], list[str], list[str]]:
    """Edge statuses, card kinds and source statuses in the picture, in the tables' order."""
    edges = {edge.status for edge in scene.edges}
    kinds = {card.kind for card in scene.cards if not card.barrier}
    sources = {card.status for card in scene.cards if card.kind == "source"}
    return (
        [status for status in EDGE_STATUSES if status in edges],
        [kind for kind in THEMES["light"].cards if kind in kinds and kind != "loss"],
        [status for status in STATUSES if status in sources],
    )


def _extra(scene: Scene) -> list[str]:
    """Rows beyond the tables: the barrier sign, the unrolled loop."""
    rows = ["barrier"] if scene.marks or any(card.barrier for card in scene.cards) else []
    return rows + (["python"] if any(box.kind == "python" for box in scene.boxes) else [])


def legend_height(scene: Scene) -> float:
    """How much room the legend takes."""
    parts = [part for part in (*_shown(scene), _extra(scene)) if part]
    return _TOP + sum(len(part) * _ROW + _GAP for part in parts) + 30


def legend(scene: Scene, theme: ThemeName, x: float, top: float) -> list[str]:
    """The legend as elements, its corner at ``x``, ``top``."""
    colours = THEMES[theme]
    edges, kinds, sources = _shown(scene)
    rows = [words(x, top + 22, "Legend", 12.5, colours.ink, True)]
    y = top + _TOP

    def row(parts: list[str], text: str) -> None:
        nonlocal y
        label = words(x + 38, y + 10, text, 11.5, colours.ink)
        rows.append(element([*parts, label], text, ""))
        y += _ROW

    for status in edges:
        style = look(status)
        row([path([(x, y + 6), (x + 29, y + 6)], style.colour(theme), style.width, style.dash)], style.label)
    y += _GAP if edges else 0
    for status in sources:
        style = look(status)
        row([glyph(style.symbol, x + 14, y + 6, 5, style.colour(theme), 1.8)], f"source: {style.label}")
    y += _GAP if sources else 0
    for extra in _extra(scene):
        if extra == "barrier":
            colour = look("blocked").colour(theme)
            row([glyph("barred", x + 14, y + 6, 5.4, colour, 2.2)], "barrier: the gradient stops here")
        else:
            box = rectangle(x + 3, y - 1, 23, 14, 4, colours.boxes[0], colours.box_lines[0], 1.4, (4, 3))
            row([box], "unrolled Python loop, one iteration shown")
    y += _GAP if _extra(scene) else 0
    for kind in kinds:
        card = colours.cards[kind]
        shape = [rectangle(x + 3, y - 1, 23, 14, min(card.radius, 6), card.fill, card.line, 1.3)]
        if kind == "run":
            shape.append(
                path([(x + 8, y + 15.5), (x + 26, y + 15.5), (x + 28.5, y + 13), (x + 28.5, y + 4)], card.line, 1.0, ())
            )
        row(shape, card.label)
    y += _GAP
    rows.extend(words(x, y + 10, note, 10.5, colours.faint) for note in NOTES)
    return rows
