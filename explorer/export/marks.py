"""The few SVG elements that the painter needs, as text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from explorer.layout.geometry import Points
from explorer.layout.glyphs import strokes
from explorer.layout.values import Point
from explorer.rules.palette import FONT_FAMILY

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """Text that XML allows: control characters have no place in it, escaped or not."""
    return escape(_NOT_XML.sub("\ufffd", text))


def fixed(number: float) -> str:
    """A coordinate, always written the same way."""
    text = f"{number:.1f}"
    return text[:-2] if text.endswith(".0") else text


def element(parts: Iterable[str], hint: str, identity: str) -> str:
    """A group with a tooltip; ``identity`` lets a script in the page find it."""
    name = f' data-id="{clean(identity)}"' if identity else ""
    return f"<g{name}><title>{clean(hint)}</title>{''.join(parts)}</g>"


def document(w: float, h: float, title: str, page: str, parts: Iterable[str]) -> str:
    """A whole SVG of this size on a background of this colour, without a line break at its end."""
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{fixed(w)}" height="{fixed(h)}" '
        f'viewBox="0 0 {fixed(w)} {fixed(h)}" font-family="{escape(FONT_FAMILY)}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" fill="{page}"/>',
    ]
    return "\n".join([*rows, *parts, "</svg>"])


def rectangle(
    x: float,
    y: float,
    w: float,
    h: float,
    radius: float,
    fill: str,
    line: str,
    stroke: float,
    dash: tuple[int, ...] = (),
) -> str:
    """A rounded rectangle."""
    return (
        f'<rect x="{fixed(x)}" y="{fixed(y)}" width="{fixed(w)}" height="{fixed(h)}" rx="{fixed(radius)}" '
        f'fill="{fill}" stroke="{line}" stroke-width="{stroke}"{_dash(dash)}/>'
    )


def path(
    points: Points | list[Point],
    line: str,
    stroke: float,
    dash: tuple[int, ...],
    fill: str = "none",
    closed: bool = False,
) -> str:
    """A polyline, or a filled outline."""
    way = " ".join(f"{fixed(float(x))},{fixed(float(y))}" for x, y in points)
    end = "Z" if closed else ""
    pen = f'stroke="{line}" stroke-width="{stroke}" stroke-linejoin="round"{_dash(dash)}'
    return f'<path d="M{way}{end}" fill="{fill}" {pen}/>'


def words(
    x: float, y: float, text: str, size: float, fill: str, bold: bool = False, anchor: str = "start", hint: str = "",
    halo: str = "",
) -> str:  # fmt: skip
    """One line of text; ``y`` is its baseline, ``halo`` a colour round the letters that keeps lines off them."""
    weight = ' font-weight="700"' if bold else ""
    place = f' text-anchor="{anchor}"' if anchor != "start" else ""
    title = f"<title>{clean(hint)}</title>" if hint else ""
    ring = f' paint-order="stroke" stroke="{halo}" stroke-width="5" stroke-linejoin="round"' if halo else ""
    look = f'font-size="{size}"{weight}{place}{ring} fill="{fill}"'
    return f'<text x="{fixed(x)}" y="{fixed(y)}" {look}>{title}{clean(text)}</text>'


def glyph(symbol: str, x: float, y: float, radius: float, colour: str, stroke: float) -> str:
    """A status symbol drawn as lines."""
    ways = " ".join("M" + " ".join(f"{px:.2f},{py:.2f}" for px, py in way) for way in strokes(symbol, x, y, radius))
    pen = f'stroke="{colour}" stroke-width="{stroke}" stroke-linecap="round" stroke-linejoin="round"'
    return f'<path d="{ways}" fill="none" {pen}/>'


def _dash(dash: tuple[int, ...]) -> str:
    return f' stroke-dasharray="{" ".join(map(str, dash))}"' if dash else ""
