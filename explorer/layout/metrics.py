"""How wide a text is, without a font file: advance widths of a Helvetica-like face, in 1/1000 of the font size.

The viewer's font is not known when the picture is placed, so the widths get ``SLACK`` on top; Lato and Arial fit,
DejaVu Sans fits inside the padding that every card adds.
"""

from __future__ import annotations

SLACK = 1.06
ELLIPSIS = "…"

_REGULAR = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 "
    "278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 "
    "667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 "
    "556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
_BOLD = (
    "278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 "
    "333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 "
    "667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 "
    "611 389 556 333 611 556 778 556 556 500 389 280 389 584"
)


def _table(widths: str) -> dict[str, int]:
    return {chr(32 + place): int(width) for place, width in enumerate(widths.split())}


_TABLES = {False: _table(_REGULAR), True: _table(_BOLD)}


def _advance(char: str, bold: bool) -> int:
    known = _TABLES[bold].get(char)
    if known is not None:
        return known
    return 1000 if ord(char) > 0x2E7F or char == ELLIPSIS else 620


def width(text: str, size: float, bold: bool = False) -> float:
    """The width of one line of text in pixels."""
    return SLACK * size * sum(_advance(char, bold) for char in text) / 1000


def elide(text: str, size: float, room: float, bold: bool = False) -> str:
    """The text if it fits, else its two ends around an ellipsis: names differ at either end."""
    if width(text, size, bold) <= room:
        return text
    for kept in range(len(text) - 1, 0, -1):
        head = (kept * 2 + 2) // 3
        short = text[:head].rstrip() + ELLIPSIS + (text[-(kept - head) :] if kept > head else "")
        if width(short, size, bold) <= room:
            return short
    return ELLIPSIS


def wrap(text: str, size: float, room: float) -> list[str]:
    """The text in lines no wider than ``room``, broken at spaces; a longer word is cut."""
    rows: list[str] = []
    for word in text.split():
        longer = f"{rows[-1]} {word}" if rows else word
        if rows and width(longer, size) <= room:
            rows[-1] = longer
        else:
            rows.append(elide(word, size, room))
    return rows
