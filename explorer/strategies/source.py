"""The text of a sample model, with a mistake written into it where the user asks for one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from explorer.model.case import Case
from explorer.strategies.breakers import split_breaker
from explorer.strategies.catalogue import get_strategy

# One comment line marks each place. The mistake replaces that very line, so that no other line moves and every line
# number in a report is the number in the file the user can open.
PLACE = re.compile(r"^(?P<indent>[ \t]*)# breaker @(?P<place>\w+) (?P<name>\w+):.*$", re.MULTILINE)


def sample_folder() -> Path:
    """The folder sample_models: beside the package in a source checkout, beside or inside it when installed."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package.parent / "sample_models", package / "sample_models"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"The folder sample_models is missing: it belongs next to {package}.")


def sample_file(strategy: str) -> Path:
    """The sample model that a strategy runs."""
    return sample_folder() / get_strategy(strategy).file


def places(source: str) -> tuple[str, ...]:
    """The places marked in a source text, in order."""
    return tuple(match["place"] for match in PLACE.finditer(source))


def written(source: str, breaker: str | None) -> str:
    """``source`` with the breaker ``KEY[@LOOP]`` in its place; unchanged without one."""
    if not breaker:
        return source
    row, place = split_breaker(breaker, places(source), "this source")
    found = next(match for match in PLACE.finditer(source) if match["place"] == place)
    mistake = found["indent"] + row.mistake.format(h=found["name"])
    return source[: found.start()] + mistake + source[found.end() :] + (f"\n{row.needs}\n" if row.needs else "")


def load_text(strategy: str, breaker: str | None = None) -> tuple[str, str]:
    """File name and text to run: the sample model's own, with the breaker written into it."""
    path = sample_file(strategy)
    return str(path), written(path.read_text(encoding="utf-8"), breaker)


def build_arguments(case: Case) -> dict[str, Any]:
    """The keyword arguments for the ``build()`` of the case's sample model."""
    given = case.inputs[0]
    return {**dict(case.options), "shape": given.shape, "sizes": given.size, "seed": case.seed}
