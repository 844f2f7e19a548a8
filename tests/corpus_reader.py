"""Reads the corpus: what each case expects of the explorer, and which of its lines is to blame.

A case ends with ``EXPECT = {way: {source: "status"} or {source: "status cause"}}``; a way that raises says
``"raises TypeName"`` instead of a dict, one that never ends ``"timed_out"``. Comments name lines:

    # <- cause                    of every source that has a cause in EXPECT, but for causes without a line
    # <- cause of w, u            of these sources only
    # <- cause in eager           in this way only
    # <- raises                   the line that the error must name
    # <- warned                   the line that a risk must name, in the ways that raise
    # <- warned in eager          in this way, which does not raise
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "corpus"
WITHOUT_LINE = ("never_read", "not_trainable")  # they are blamed on a line only where a marker names the source
_CAUSE = re.compile(r"# <- cause(?: of (?P<sources>[\w/, ]+?))?(?: in (?P<way>eager|graph|xla|tf1))?(?:, raises)?$")
_WARNED = re.compile(r"# <- .*\bwarned(?: in (?P<way>eager|graph|xla|tf1))?\b")
_RAISES = re.compile(r"# <- .*\braises$")


@dataclass(frozen=True)
class Blame:
    """One marked line; ``sources`` empty means all, ``way`` empty means every way."""

    line: int
    sources: tuple[str, ...]
    way: str


@dataclass(frozen=True)
class CorpusCase:
    """One file of the corpus."""

    name: str
    path: Path
    expect: dict[str, dict[str, str] | str]
    blames: tuple[Blame, ...]
    raises_at: int | None
    warned: Blame | None

    def warned_at(self, way: str) -> int | None:
        """The line that must be warned of in this way, None where there is none."""
        if self.warned is None:
            return None
        wanted = way == self.warned.way or (not self.warned.way and str(self.expect[way]).startswith("raises"))
        return self.warned.line if wanted else None

    def line_of(self, source: str, cause: str, way: str) -> int | None:
        """The line to blame, None where the case does not say."""
        for blame in sorted(self.blames, key=lambda b: (not b.way, not b.sources)):
            if blame.way not in ("", way):
                continue
            if source in blame.sources or (not blame.sources and cause not in WITHOUT_LINE):
                return blame.line
        return None


def read_corpus() -> dict[str, CorpusCase]:
    """All cases by name, in the order of their names."""
    return {path.stem: read_case(path) for path in sorted(FOLDER.glob("*.py"))}


def read_case(path: Path) -> CorpusCase:
    """One case, without running it."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    raises, warned = _marked(lines, _RAISES), _marked(lines, _WARNED)
    return CorpusCase(
        path.stem, path, _expect(path, text), tuple(_blames(lines)), raises.line if raises else None, warned
    )


def _expect(path: Path, text: str) -> dict[str, dict[str, str] | str]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXPECT":
            return ast.literal_eval(node.value)
    raise ValueError(f"{path.name} has no EXPECT")


def _blames(lines: list[str]) -> list[Blame]:
    found = []
    for number, line in enumerate(lines, 1):
        if match := _CAUSE.search(line):
            named = match["sources"] or ""
            found.append(Blame(number, tuple(s.strip() for s in named.split(",") if s.strip()), match["way"] or ""))
    return found


def _marked(lines: list[str], mark: re.Pattern[str]) -> Blame | None:
    for number, line in enumerate(lines, 1):
        if match := mark.search(line):
            return Blame(number, (), match.groupdict().get("way") or "")
    return None
