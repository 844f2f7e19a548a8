"""The words of a figure: text traces by size and colour, each with ``meta`` so that it can follow the zoom."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from html import escape

import numpy as np
import plotly.graph_objects as go

from explorer.layout.metrics import width
from explorer.layout.sizes import HEADER, fonts, is_chip, status_of, tells_status
from explorer.layout.values import PlacedBox, PlacedCard, Scene
from explorer.rules.palette import Theme, ThemeName, ink_on
from explorer.rules.statuses import look


@dataclass(frozen=True)
class Style:
    """One look of text; all text of one look is one trace."""

    size: float
    colour: str
    bold: bool
    anchor: str = "middle center"


Rows = dict[Style, list[tuple[float, float, str]]]


def add_texts(drawing: go.Figure, scene: Scene, colours: Theme, theme: ThemeName) -> None:
    """Write cards and headers."""
    rows: Rows = defaultdict(list)
    for card in scene.cards:
        _card(rows, card, colours, theme)
    _headers(rows, scene, colours, theme)
    for style, places in rows.items():
        texts = [f"<b>{escape(text)}</b>" if style.bold else escape(text) for _, _, text in places]
        font = {"size": style.size, "color": style.colour}
        drawing.add_scatter(
            x=np.array([x for x, _, _ in places]), y=np.array([y for _, y, _ in places]), text=texts, mode="text",
            textposition=style.anchor, textfont=font, unselected={"textfont": {"color": style.colour}},
            hoverinfo="skip",
            showlegend=False, meta={"text": style.size}, cliponaxis=True,
        )  # fmt: skip


def _card(rows: Rows, card: PlacedCard, colours: Theme, theme: ThemeName) -> None:
    middle = card.x + card.w / 2 + (7 if card.kind == "source" else 0)
    heights = (11.0,) if is_chip(card.kind) else (11.5, 25.0, 38.5)
    for number, (text, y) in enumerate(zip(card.lines, heights, strict=False)):
        size, bold = fonts(card.kind, number)
        colour = colours.faint if number else colours.ink
        if tells_status(card, number):
            colour = look(status_of(card)).colour(theme)
        elif card.tint is not None and card.barrier is None:
            colour = ink_on(card.tint)
        rows[Style(size, colour, bold)].append((middle, card.y + y, text))


def _headers(rows: Rows, scene: Scene, colours: Theme, theme: ThemeName) -> None:
    for box in scene.boxes:
        y, x = box.y + 15.5, box.x + 29
        ink = colours.depth(colours.box_titles, box.depth)
        rows[Style(HEADER, ink, True, "middle right")].append((x, y, box.title))
        if box.subtitle:
            place = x + 8 + width(box.title, HEADER, True)
            rows[Style(HEADER - 1, colours.faint, False, "middle right")].append((place, y, box.subtitle))
        if box.note:
            style = Style(HEADER - 1, look("blocked").colour(theme), True, "middle right")
            rows[style].append((note_start(box), y, box.note))


def note_start(box: PlacedBox) -> float:
    """Where the count of barriers begins."""
    return box.x + box.w - 14 - width(box.note, HEADER - 1, True)


def header_spans(box: PlacedBox) -> list[tuple[float, float]]:
    """Start and width of the words in a box's header: the parts that no line may cross."""
    words = 29 + width(box.title, HEADER, True) + (8 + width(box.subtitle, HEADER - 1) if box.subtitle else 0)
    spans = [(box.x + 10, words - 8)]
    if box.spark:
        ends = [x for way in box.spark for x, _ in way]
        spans.append((min(ends) - 4, max(ends) - min(ends) + 8))
    if box.note:
        spans.append((note_start(box) - 17, box.x + box.w - note_start(box) + 8))
    return spans
