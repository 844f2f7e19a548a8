"""Write a picture to a file, the kind chosen by its suffix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from explorer.codec.document import document, to_json
from explorer.export.graphs import dot, graphml
from explorer.export.heat import heat_of
from explorer.export.kinds import PICTURES, is_heat
from explorer.export.page import page
from explorer.export.pdf import pdf
from explorer.export.png import png
from explorer.export.svg import svg
from explorer.layout.nest import decide
from explorer.layout.values import Nest, Scene
from explorer.layout.way import Way
from explorer.layout.worker import place_in_child
from explorer.model.case import BadInput
from explorer.model.graph import Snapshot
from explorer.model.verdict import Exploration
from explorer.rules.palette import ThemeName

Placing = Callable[[Nest], Scene]


@dataclass(frozen=True)
class Sheet:
    """What a file is made from. ``title`` is the target, ``verdict`` one sentence; what is off ``way`` is dimmed.

    Placing takes longest, so it is done by the kinds that need it.
    """

    exploration: Exploration
    snapshot: Snapshot
    nest: Nest
    placing: Placing
    title: str
    verdict: str
    theme: ThemeName
    heat: bool = False
    way: Way | None = None

    @property
    def svg(self) -> str:
        """The picture: the nest, or the heat maps of its loops."""
        if self.heat:
            return heat_of(self.exploration, self.theme, self.title)
        return svg(self.placing(self.nest), self.theme, self.title, self.verdict, self.way)


WRITERS: dict[str, Callable[[Sheet], bytes]] = {
    ".png": lambda sheet: png(sheet.svg),
    ".svg": lambda sheet: sheet.svg.encode(),
    ".pdf": lambda sheet: pdf(sheet.svg),
    ".html": lambda sheet: page(sheet.svg, sheet.title, sheet.theme).encode(),
    ".dot": lambda sheet: dot(sheet.nest, sheet.title).encode(),
    ".graphml": lambda sheet: graphml(sheet.snapshot, sheet.exploration.flow).encode(),
    ".json": lambda sheet: to_json(document(sheet.exploration)).encode(),
}
"""One row for every kind of file."""


def export(
    exploration: Exploration,
    path: Path,
    placing: Placing = place_in_child,
    title: str = "",
    verdict: str = "",
    theme: ThemeName = "light",
) -> None:
    """Draw an exploration into a file."""
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        raise BadInput(f"Cannot export to {path.name}: give a file name that ends in {' or '.join(WRITERS)}.")
    if exploration.snapshot is None:
        raise BadInput(f"Nothing to draw into {path.name}: the run ended before the graph was captured.")
    nest, heat = decide(exploration), is_heat(path)
    if heat and suffix not in PICTURES:
        raise BadInput(f"Heat maps are pictures: give {path.name} a name that ends in .heat.svg or .heat.png.")
    sheet = Sheet(exploration, exploration.snapshot, nest, placing, title, verdict, theme, heat)
    written = WRITERS[suffix](sheet)
    try:
        path.write_bytes(written)
    except OSError as problem:
        raise BadInput(f"Cannot write {path}: {problem.strerror or problem}.") from problem
