"""How large a card is, and its texts cut to fit: fixed before anything is placed."""

from __future__ import annotations

from explorer.layout.metrics import elide, width
from explorer.layout.values import Box, Card, PlacedCard
from explorer.rules.statuses import look

TITLE, SUBTITLE, CHIP, HEADER = 11.5, 10.0, 10.5, 12.5
"""Font sizes in pixels: a card's first line, its other lines, a chip, a loop's header."""

PADDING = 26.0
WIDEST = 168.0
HEADER_ROW = 26.0
SYMBOL_ROOM = 16.0
CHIPS = ("slot", "next")
MANY_CARDS = 2000
"""A picture with more is placed by the fast layout."""

# A card or box is as wide before its gradient is known and its iterations are counted as it is afterwards: nothing
# moves while a run goes on.
_USUAL_STATUSES = ("unknown", "flows", "none-blocked", "unobserved")
NOT_COUNTED = "iterations not known"


def is_chip(kind: str) -> bool:
    """Chips hold one line, cards two or three."""
    return kind in CHIPS


def fonts(kind: str, line: int) -> tuple[float, bool]:
    """Size and weight of one line of a card."""
    if is_chip(kind):
        return CHIP, False
    return (TITLE, True) if line == 0 else (SUBTITLE, line == 2)


def status_of(card: PlacedCard) -> str:
    """The status a card's words tell: a barrier's card tells of the cut, though what it makes may flow on."""
    return "blocked" if card.barrier else card.status


def tells_status(card: PlacedCard, line: int) -> bool:
    """Whether a line is written in the colour of the card's status: a source's verdict, a barrier's cause."""
    if card.barrier:
        return line == len(card.lines) - 1
    return (card.kind == "source" and line == 1 and not card.plain) or (
        card.kind == "loop" and line == 2 and card.status == "blocked"
    )


def text_room(kind: str, w: float) -> float:
    """How wide a text may be in a card of width ``w``."""
    return w - 14 - (SYMBOL_ROOM if kind == "source" else 0)


def size(card: Card) -> tuple[float, float]:
    """Width and height of a card."""
    widest = max((width(text, *fonts(card.kind, line)) for line, text in enumerate(card.lines)), default=0.0)
    if is_chip(card.kind):
        return round(min(max(52.0, widest + 24), WIDEST), 1), 22.0
    extra = 0.0
    if card.kind == "source":
        extra, widest = SYMBOL_ROOM, max(widest, *(width(look(key).label, SUBTITLE) for key in _USUAL_STATUSES))
    return round(min(max(84.0, widest + PADDING + extra), WIDEST + extra), 1), 22.0 + 14.0 * (len(card.lines) - 1)


def lines(card: Card, w: float) -> tuple[str, ...]:
    """The card's lines, cut to its width."""
    room = text_room(card.kind, w)
    cut = []
    for number, text in enumerate(card.lines):
        font, bold = fonts(card.kind, number)
        cut.append(elide(text, font, room, bold))
    return tuple(cut)


def header_width(box: Box) -> float:
    """The width that a box's header asks for."""
    note = SYMBOL_ROOM + width(box.note, HEADER - 1, True) if box.note else 0.0
    at_first = " · ".join((NOT_COUNTED, box.subtitle.rpartition(" · ")[2]))
    subtitle = max(width(box.subtitle, HEADER - 1), width(at_first, HEADER - 1))
    return 44 + width(box.title, HEADER, True) + 10 + subtitle + 12 + note


def header(box: Box, w: float) -> tuple[str, str]:
    """Title and subtitle cut to a box of width ``w``; the note is never cut."""
    note = 12 + SYMBOL_ROOM + width(box.note, HEADER - 1, True) if box.note else 0.0
    room = w - 44 - note
    title = elide(box.title, HEADER, room, True)
    left = room - width(title, HEADER, True) - 10
    return title, elide(box.subtitle, HEADER - 1, left) if left > 30 else ""
