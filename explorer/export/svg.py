"""A scene as SVG, painted by hand: text stays text, every element has a title, nothing but the standard library.

The verdict stands above the picture, the legend beside it; a status is told by colour and by dash or symbol.
"""

from __future__ import annotations

import re

from explorer.export.legend import LEGEND_WIDTH, legend, legend_height
from explorer.export.marks import document, element, fixed, glyph, path, rectangle, words
from explorer.layout.geometry import arrow
from explorer.layout.lit import split
from explorer.layout.metrics import elide, width, wrap
from explorer.layout.sizes import CHIP, HEADER, fonts, is_chip, status_of, tells_status
from explorer.layout.values import PlacedBox, PlacedCard, PlacedEdge, PlacedMark, Scene
from explorer.layout.way import Way
from explorer.rules.palette import THEMES, Theme, ThemeName, dimmed, heat, ink_on
from explorer.rules.statuses import look

TITLE_SIZE, VERDICT_SIZE = 19.0, 13.0
NARROWEST = 640.0


def svg(scene: Scene, theme: ThemeName = "light", title: str = "", verdict: str = "", way: Way | None = None) -> str:
    """The scene as an SVG document; ``title`` is the target, ``verdict`` one sentence; off ``way`` it is dim."""
    colours = THEMES[theme]
    full_width = max(scene.width + LEGEND_WIDTH, NARROWEST)
    heading, top = _heading(title, verdict, colours, full_width - 32)
    full_height = top + max(scene.height, legend_height(scene))
    parts = [
        *heading,
        f'<g transform="translate(0 {fixed(top)})">',
        *painted(scene, theme, way),
        "</g>",
        *legend(scene, theme, full_width - LEGEND_WIDTH + 12, top),
    ]
    told = title or "Gradient flow through nested loops"
    return document(full_width, full_height, told, colours.page, parts) + "\n"


def painted(scene: Scene, theme: ThemeName, way: Way | None = None) -> list[str]:
    """The elements of the scene, in the order in which they lie on each other, in the scene's own coordinates."""
    page = THEMES[theme].page
    aside, lit = split(scene, way)
    below = [_COLOUR.sub(lambda found: f'="{dimmed(found[1], page)}"', row) for row in _layers(aside, theme)]
    return below + _layers(lit, theme)


_COLOUR = re.compile('="(#[0-9A-F]{6})"')  # as the painter writes them: words have their quotes escaped


def _layers(scene: Scene, theme: ThemeName) -> list[str]:
    colours = THEMES[theme]
    return [
        *(_box(box, colours) for box in scene.boxes),
        *(_edge(edge, theme) for edge in sorted(scene.edges, key=_painting_order)),
        *(_header(box, colours, theme) for box in scene.boxes),
        *(_card(card, colours, theme) for card in scene.cards),
        *(_mark(mark, colours, theme) for mark in scene.marks),
    ]


def _painting_order(edge: PlacedEdge) -> int:
    return ("nondiff", "unknown", "blocked", "flows").index(edge.status)


def _heading(title: str, verdict: str, colours: Theme, room: float) -> tuple[list[str], float]:
    """The words above the picture and the height they take."""
    lines = [(elide(title, TITLE_SIZE, room, True), TITLE_SIZE, True, colours.ink)] if title else []
    lines += [(text, VERDICT_SIZE, False, colours.faint) for text in wrap(verdict, VERDICT_SIZE, room)]
    rows, y = [], 14.0
    for text, size, bold, fill in lines:
        y += size + 3
        rows.append(words(16, y, text, size, fill, bold, hint=title if bold else verdict))
        y += 3
    return rows, y + 8 if rows else 0.0


def _box(box: PlacedBox, colours: Theme) -> str:
    line, fill = colours.depth(colours.box_lines, box.depth), colours.depth(colours.boxes, box.depth)
    dash = (7, 4) if box.kind == "python" else ()
    return element([rectangle(box.x, box.y, box.w, box.h, 16, fill, line, 1.4, dash)], box.hint, "")


def _header(box: PlacedBox, colours: Theme, theme: ThemeName) -> str:
    """Painted over the edges with a halo of the box's colour: a line must not run through words."""
    ink, fill = colours.depth(colours.box_titles, box.depth), colours.depth(colours.boxes, box.depth)
    x, y = box.x + 13, box.y + 20
    subtitle = x + 23 + width(box.title, HEADER, True)
    note = box.x + box.w - 14 - width(box.note, HEADER - 1, True)
    parts = [
        glyph("loop", x + 5, y - 4.5, 5.2, ink, 1.5),
        words(x + 17, y, box.title, HEADER, ink, True, halo=fill),
        words(subtitle, y, box.subtitle, HEADER - 1, colours.faint, halo=fill),
    ]
    for way in box.spark:
        parts += [path(list(way), fill, 7, ()), path(list(way), ink, 1.4, ())]  # a halo here too
    if box.note:
        barred = look("blocked").colour(theme)
        parts += [
            glyph("barred", note - 9, y - 4, 4.8, barred, 1.6),
            words(note, y, box.note, HEADER - 1, barred, True, halo=fill),
        ]
    return element(parts, box.hint, f"loop:{box.id}")


def _edge(edge: PlacedEdge, theme: ThemeName) -> str:
    style = look(edge.status)
    colour = style.colour(theme)
    head, way = arrow(edge.points, *((7.0, 3.0) if edge.carried else (9.0, 3.7)))
    carried = ", carried to the next iteration" if edge.carried else ""
    parts = [path(way, colour, style.width, style.dash), path(head, colour, 0.5, (), colour, closed=True)]
    return element(parts, f"{edge.start} to {edge.end}: {style.label}{carried}", "")


def _card(card: PlacedCard, colours: Theme, theme: ThemeName) -> str:
    surface, style = colours.cards[card.kind], look(card.status)
    barred = card.barrier is not None
    outline = look("blocked").colour(theme) if barred else surface.line
    fill = colours.barrier_fill if barred else surface.fill if card.tint is None else heat(card.tint)
    if is_chip(card.kind) or card.kind == "source":
        outline = style.colour(theme)
    dash = style.dash if is_chip(card.kind) else ()
    parts = [rectangle(card.x, card.y, card.w, card.h, surface.radius, fill, outline, 2.0 if barred else 1.3, dash)]
    middle = card.x + card.w / 2
    if is_chip(card.kind):
        ink = colours.ink if card.tint is None else ink_on(card.tint)
        parts.append(words(middle, card.y + 14.7, card.lines[0], CHIP, ink, anchor="middle"))
        return element(parts, card.hint, card.id)
    if card.kind == "source":
        parts.append(glyph(style.symbol, card.x + 14, card.y + card.h / 2, 4.6, style.colour(theme), 1.8))
        middle += 7
    if card.kind == "run":
        parts.append(path(_pile(card), outline, 1.0, ()))
    baselines = (15.5, 28.5, 42.0)
    for number, (text, y) in enumerate(zip(card.lines, baselines, strict=False)):
        size, bold = fonts(card.kind, number)
        ink = (
            look(status_of(card)).colour(theme)
            if tells_status(card, number)
            else ink_on(card.tint)
            if card.tint is not None and not barred
            else colours.faint
            if number
            else colours.ink
        )
        parts.append(words(middle, card.y + y, text, size, ink, bold, "middle"))
    return element(parts, card.hint, card.id)


def _pile(card: PlacedCard) -> list[tuple[float, float]]:
    """A second edge behind a card that stands for several ops."""
    right, bottom = card.x + card.w, card.y + card.h
    return [(card.x + 9, bottom + 3), (right - 5, bottom + 3), (right + 3, bottom - 5), (right + 3, card.y + 9)]


def _mark(mark: PlacedMark, colours: Theme, theme: ThemeName) -> str:
    colour = look("blocked").colour(theme)
    disc = f'<circle cx="{fixed(mark.x)}" cy="{fixed(mark.y)}" r="7.4" fill="{colours.page}"/>'
    return element([disc, glyph("barred", mark.x, mark.y, 5.8, colour, 2.2)], mark.hint, f"barrier:{mark.id}")
