"""What a file's name asks for; known to the command line before anything is loaded or run."""

from __future__ import annotations

from pathlib import Path

HEAT = ".heat"
"""A name that ends in ``.heat.svg`` asks for the heat maps, ``.heat.png`` and the other pictures likewise."""

PICTURES = (".png", ".svg", ".pdf", ".html")


def is_heat(path: Path) -> bool:
    """Whether the name asks for heat maps."""
    return path.with_suffix("").suffix.lower() == HEAT
