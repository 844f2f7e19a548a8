"""Small tables and words as HTML: unlike Streamlit's canvas tables they can be read, searched and copied."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from explorer.model.case import Shape
from explorer.model.graph import Location
from explorer.rules.palette import ThemeName
from explorer.rules.sentence import place
from explorer.rules.statuses import look

UNKNOWN = "–"

Row = Sequence[str]


def table(head: Row, rows: Sequence[Row]) -> str:
    """Cells are HTML; the first column holds names."""
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    return (
        f'<div class="scroll"><table class="plain"><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def facts(rows: Sequence[tuple[str, str]]) -> str:
    """Pairs of a word and its HTML; those without anything to say are left out."""
    body = "".join(f"<tr><td>{escape(name)}</td><td class='name'>{value}</td></tr>" for name, value in rows if value)
    return f'<table class="plain facts"><tbody>{body}</tbody></table>'


def _cells(row: Row) -> str:
    return "".join(
        f'<td class="name">{cell}</td>' if not number else f"<td>{cell}</td>" for number, cell in enumerate(row)
    )


def status(key: str | None, theme: ThemeName) -> str:
    """A status by sign, colour and words."""
    if key is None:
        return UNKNOWN
    seen = look(key)
    return f'<span class="sign" style="color:{seen.colour(theme)}">{escape(seen.sign)}</span>{escape(seen.label)}'


def shape(dims: Shape | None) -> str:
    """``[None, 7, 10]``, or that it is not known."""
    return "unknown" if dims is None else f"[{', '.join(map(str, dims))}]"


def line(location: Location | None) -> str:
    """``model.py:12`` with the whole path as a tooltip."""
    return f'<span title="{escape(location.file)}">{escape(place(location))}</span>' if location else ""


def number(value: float | str | None) -> str:
    """A measured number, short."""
    if value is None:
        return UNKNOWN
    return escape(value) if isinstance(value, str) else f"{value:.4g}"


def trips(runs: Sequence[int] | None) -> str:
    """How often a loop ran, measured."""
    if not runs:
        return ""
    if len(runs) == 1:
        return str(runs[0])
    if len(set(runs)) == 1:
        return f"{runs[0]} in each of {len(runs)} runs"
    return f"{min(runs)} to {max(runs)} in {len(runs)} runs"


def sentence(words: str) -> str:
    """Words as a sentence; a name such as tf.stop_gradient stays as it is written."""
    first = words.partition(" ")[0]
    return (words if "." in first else words[:1].upper() + words[1:]) + "."


def said(word: object) -> str:
    """Anything as HTML text; nothing for None."""
    return "" if word is None else escape(str(word))
