"""The templates filled in (Jinja): one HTML file that holds everything, or Markdown with its pictures beside it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from explorer.model.comparison import Comparison
from explorer.report.content import Part, Picture

_FOLDER = Path(__file__).parent


def html(title: str, parts: tuple[Part, ...], differences: tuple[str, ...] = ()) -> str:
    """A page that asks nobody for anything and prints without cut pictures."""
    return _render("report.html.j2", title=title, parts=parts, differences=differences)


def markdown(title: str, parts: tuple[Part, ...], stem: str, differences: tuple[str, ...] = ()) -> str:
    """The text; its pictures are expected beside it as ``STEM-NAME.svg``."""
    return _render("report.md.j2", title=title, parts=parts, stem=stem, differences=differences)


def comparison_html(comparison: Comparison, picture: Picture, command: str) -> str:
    """A comparison as such a page."""
    return _render("comparison.html.j2", comparison=comparison, picture=picture, command=command)


def comparison_markdown(comparison: Comparison, picture: Picture, command: str, stem: str) -> str:
    """A comparison as text; its picture is expected beside it as ``STEM-NAME.svg``."""
    return _render("comparison.md.j2", comparison=comparison, picture=picture, command=command, stem=stem)


def _render(template: str, **words: Any) -> str:
    return _environment().get_template(template).render(words)


@cache
def _environment() -> jinja2.Environment:
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER), undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        autoescape=lambda name: bool(name and ".html." in name), keep_trailing_newline=True,
    )  # fmt: skip
    found.filters.update(cell=_cell, number=_number, shape=_shape, drawn=Markup)
    return found


def _cell(text: object) -> str:
    """Text that does not end its cell of a Markdown table."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def _number(value: float | str | None) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:.4g}"


def _shape(shape: list[int | None] | None) -> str:
    return "unknown" if shape is None else f"[{', '.join(map(str, shape))}]"
