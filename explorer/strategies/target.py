"""A target that is no strategy: a path, with the name of something in it after a colon."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from explorer.model.case import BadInput
from explorer.strategies.catalogue import STRATEGIES
from explorer.strategies.wording import shown, unknown

Kind = Literal["python", "saved_model", "keras", "graph"]
SUFFIXES: dict[str, Kind] = {
    ".py": "python", ".zip": "saved_model", ".keras": "keras", ".pb": "graph", ".pbtxt": "graph",
}  # fmt: skip
KINDS = "file.py, file.py:callable, a SavedModel folder (or its .zip), model.keras, graph.pb or graph.pbtxt"


def split_target(target: str) -> tuple[str, str | None]:
    """Path, and the callable or signature named after the last colon.

    A path that exists is never split, and a drive letter's colon is not taken for one.
    """
    head, sign, tail = target.rpartition(":")
    if not sign or len(head) < 2 or "/" in tail or "\\" in tail or _exists(target):
        return target, None
    return head, tail


def kind_of(path: str) -> Kind:
    """What a path that exists is read as: by its suffix; a folder is a SavedModel."""
    return "saved_model" if Path(path).is_dir() else SUFFIXES[Path(path).suffix.lower()]


def check_path(target: str) -> None:
    """Refuse a target that is not there, or is nothing the explorer reads."""
    if not target:
        raise BadInput(f"No target is given: write a strategy such as {STRATEGIES[0].key}, or {KINDS}.")
    path, name = split_target(target)
    if not _exists(path):
        raise _missing(target, path)
    file = Path(path)
    if file.is_file() and file.suffix.lower() not in SUFFIXES:
        raise BadInput(f"The file {path!r} is nothing that can be read here: give {KINDS}.")
    if name is None or kind_of(path) == "saved_model":
        if name == "":
            raise BadInput(f"{target!r} names no signature after the colon: write {path}:NAME, or {path} alone.")
        return
    if kind_of(path) != "python":
        raise BadInput(f"{path!r} has nothing to choose by name, so {name!r} means nothing: write {path} alone.")
    if not all(part.removesuffix("()").isidentifier() for part in name.split(".")):
        raise BadInput(
            f"{name!r} is not the name of a Python function: write for example {path}:my_function, "
            f"{path}:model.step or {path}:make()."
        )


def _missing(target: str, path: str) -> BadInput:
    looks_like_path = any(mark in path for mark in "/\\.") or path != target
    if not looks_like_path:
        return unknown("strategy", target, [row.key for row in STRATEGIES])
    return BadInput(f"There is no file or folder {shown(path)}: write its path as seen from the folder you work in.")


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # a name too long for the system, or one with a null byte, is nothing that exists
        return False
