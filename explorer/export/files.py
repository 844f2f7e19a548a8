"""Write a picture to a file, the kind chosen by its suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from explorer.export.png import png
from explorer.export.svg import svg
from explorer.layout.nest import decide
from explorer.layout.values import Nest, Scene
from explorer.layout.worker import place_in_child
from explorer.model.case import BadInput
from explorer.model.verdict import Exploration
from explorer.rules.palette import ThemeName

Placing = Callable[[Nest], Scene]
Painter = Callable[[Scene, ThemeName, str, str], bytes]


def _svg(scene: Scene, theme: ThemeName, title: str, verdict: str) -> bytes:
    return svg(scene, theme, title, verdict).encode()


def _png(scene: Scene, theme: ThemeName, title: str, verdict: str) -> bytes:
    return png(svg(scene, theme, title, verdict))


PAINTERS: dict[str, Painter] = {".png": _png, ".svg": _svg}
"""One row for every kind of file."""


def check_suffix(path: Path) -> None:
    """Complain before anything is computed, not after."""
    if path.suffix.lower() not in PAINTERS:
        kinds = " or ".join(PAINTERS)
        raise BadInput(f"Cannot export to {path.name}: give a file name that ends in {kinds}.")


def export(
    exploration: Exploration,
    path: Path,
    placing: Placing = place_in_child,
    title: str = "",
    verdict: str = "",
    theme: ThemeName = "light",
) -> None:
    """Draw an exploration into a file."""
    check_suffix(path)
    if exploration.snapshot is None:
        raise BadInput(f"Nothing to draw into {path.name}: the run ended before the graph was captured.")
    picture = PAINTERS[path.suffix.lower()](placing(decide(exploration)), theme, title, verdict)
    try:
        path.write_bytes(picture)
    except OSError as problem:
        raise BadInput(f"Cannot write {path}: {problem.strerror or problem}.") from problem
