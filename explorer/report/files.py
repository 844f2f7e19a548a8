"""Write a report to a file, HTML or Markdown by its suffix; a Markdown report has its pictures beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from explorer.export.poster import poster, scenes_of
from explorer.layout.worker import place_in_child
from explorer.model.case import BadInput
from explorer.model.comparison import Comparison
from explorer.model.verdict import Exploration
from explorer.report.content import Picture, Placing, part
from explorer.report.render import comparison_html, comparison_markdown, html, markdown

SUFFIXES = (".html", ".md")


def report(
    explorations: Sequence[Exploration], path: Path, differences: Sequence[str] = (), placing: Placing = place_in_child
) -> None:
    """All ways of one case in one report."""
    check(path)
    parts = tuple(part(each, placing) for each in explorations)
    title = parts[0].title
    if path.suffix.lower() == ".html":
        _write(path, html(title, parts, tuple(differences)), ())
    else:
        pictures = [picture for each in parts for picture in each.pictures]
        _write(path, markdown(title, parts, path.stem, tuple(differences)), pictures)


def report_of_comparison(
    comparison: Comparison, path: Path, command: str, placing: Placing = place_in_child
) -> None:  # fmt: skip
    """A comparison; ``command`` is what a shell runs to repeat it."""
    check(path)
    picture = Picture("nests", "The nest of every strategy", poster(comparison, scenes_of(comparison, placing)))
    if path.suffix.lower() == ".html":
        _write(path, comparison_html(comparison, picture, command), ())
    else:
        _write(path, comparison_markdown(comparison, picture, command, path.stem), (picture,))


def check(path: Path) -> None:
    """Complain before anything is computed, not after."""
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"Cannot write a report to {str(path)!r}: end its name in {' or '.join(SUFFIXES)}.")


def _write(path: Path, text: str, pictures: Iterable[Picture]) -> None:
    try:
        path.write_text(text, encoding="utf-8")
        for picture in pictures:
            path.with_name(f"{path.stem}-{picture.name}.svg").write_text(picture.svg, encoding="utf-8")
    except OSError as problem:
        raise BadInput(f"Cannot write {path}: {problem.strerror or problem}.") from problem
