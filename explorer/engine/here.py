"""One exploration in this very process, for a function that lives here: quick, and without limits on time or memory."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from explorer.capture.lines import declare_user_folder
from explorer.engine import targets, work
from explorer.engine.errors import failure_of
from explorer.engine.progress import Emit, Progress
from explorer.model.case import BadInput, Case, Way


def target_of(fn: Callable[..., Any]) -> str:
    """``file.py:name``, by which the command line finds the function again where it stands at the top of a file."""
    inner = inspect.unwrap(getattr(fn, "python_function", fn))
    if not hasattr(inner, "__code__"):
        inner = type(inner)
    try:
        file = os.path.relpath(inspect.getsourcefile(inner) or "")
    except (TypeError, ValueError):
        file = ""
    return f"{file or '<here>'}:{getattr(inner, '__qualname__', type(fn).__name__)}"


def explore_here(
    case: Case, fn: Callable[..., Any], values: Sequence[Any], variables: Sequence[Any] | None, emit: Emit
) -> None:
    """Explore ``fn`` with one value per input of the case (None: drawn by the seed). An error ends it as a Failure."""
    way: Way = case.way or "graph"
    if way == "tf1":
        raise BadInput("TF1 control flow is a switch for a whole process: give isolated=True, or run it as a file.")
    places = _order(fn, [spec.name for spec in case.inputs])
    inputs = tuple(case.inputs[place] for place in places)
    program = targets.Program(fn, inputs, tuple(values[place] for place in places), variables, False)
    progress = Progress(emit)
    progress.enter("build")
    try:
        _tell_code(case, progress)
        progress.tell("surroundings", work.surroundings(case))
        work.follow(case, way, lambda: program, lambda: program, progress)
    except Exception as error:
        emit("failure", failure_of(error, progress.stage, progress.snapshot, progress.risks()))
    progress.done()


def _order(fn: Callable[..., Any], given: Sequence[str]) -> list[int]:
    """The inputs in the order of the function's parameters, where they are called the same; else as given."""
    names = targets.parameter_names(fn, len(given))
    return [given.index(name) for name in names] if set(names) == set(given) else list(range(len(given)))


def _tell_code(case: Case, progress: Progress) -> None:
    file = Path(case.target.rpartition(":")[0])
    if file.is_file():
        declare_user_folder(str(file.resolve().parent))
        progress.tell("file", str(file.resolve()))
        progress.tell("code", file.read_text(encoding="utf-8"))
