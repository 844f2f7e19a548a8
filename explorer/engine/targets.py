"""Loads what is to be explored: a sample model, or the user's own target. Runs only in the child process."""

from __future__ import annotations

import os
import re
import tokenize
from collections.abc import Callable

from explorer.engine.graph_file import load_graph
from explorer.engine.keras_file import load_keras
from explorer.engine.own_signature import parameter_names
from explorer.engine.program import Program
from explorer.engine.python_file import load_python
from explorer.engine.saved_model import load_saved_model
from explorer.model.case import BadInput, Case, Way
from explorer.strategies.catalogue import find_strategy
from explorer.strategies.source import load_text
from explorer.strategies.target import Kind, kind_of, split_target

__all__ = ["Program", "load", "locate", "parameter_names", "way_of"]

_MODE = re.compile(r"""['"]mode['"]\s*:\s*['"](\w+)['"]""")
_WAY_OF_MODE: dict[str, Way] = {"eager": "eager", "graph": "graph", "xla": "xla", "tf1": "tf1", "v1": "tf1"}


def locate(case: Case) -> tuple[str, str]:
    """File name and source text of the target, with the breaker written into it; no text where there is none."""
    if find_strategy(case.target):
        return load_text(case.target, case.breaker)
    path = split_target(case.target)[0]
    if not os.path.exists(path):
        raise BadInput(f"There is no file {path}.")
    file = os.path.abspath(path)
    return file, _text(file) if kind_of(path) == "python" else ""


def _text(file: str) -> str:
    try:
        with tokenize.open(file) as opened:
            return opened.read()
    except (SyntaxError, UnicodeDecodeError):
        raise BadInput(f"{os.path.basename(file)} is not a text that Python can read: save it as UTF-8.") from None


def way_of(case: Case, text: str) -> Way:
    """How to run it: as the user says, as the strategy is made for, as the file's ``mode`` says, else in a graph.

    The mode is read off the text, because control flow v1 must be switched on before the file runs.
    """
    if case.way is not None:
        return case.way
    strategy = find_strategy(case.target)
    if strategy is not None:
        return strategy.way
    if kind_of(split_target(case.target)[0]) == "graph":
        return "tf1"
    found = _MODE.search(text)
    return _WAY_OF_MODE.get(found.group(1), "graph") if found else "graph"


def load(case: Case, file: str, text: str) -> Program:
    """The program of the case's target, built anew."""
    return _LOADERS[kind_of(file)](case, file, text)


_LOADERS: dict[Kind, Callable[[Case, str, str], Program]] = {
    "python": load_python,
    "saved_model": lambda case, file, _: load_saved_model(case, file),
    "keras": lambda case, file, _: load_keras(case, file),
    "graph": lambda case, file, _: load_graph(case, file),
}
