"""Loads what is to be explored: a sample model, or the user's own file. Runs only in the child process."""

from __future__ import annotations

import importlib.util
import inspect
import linecache
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from explorer.capture import private
from explorer.capture.lines import declare_user_folder
from explorer.model.case import BadInput, Case, InputSpec, Shape, Way
from explorer.model.graph import Location
from explorer.strategies.catalogue import find_strategy
from explorer.strategies.source import build_arguments, load_text
from explorer.strategies.target import split_target

MODULE = "explored_model"
_MODE = re.compile(r"""['"]mode['"]\s*:\s*['"](\w+)['"]""")
_WATCH = re.compile(r"""['"]watch['"]\s*:""")
_WAY_OF_MODE: dict[str, Way] = {"eager": "eager", "graph": "graph", "xla": "xla", "tf1": "tf1", "v1": "tf1"}


@dataclass(frozen=True)
class Program:
    """A live target: the callable, its inputs and its variables.

    ``variables`` is a list, a callable giving one (asked after the first call), or None: found by tracing. ``values``
    holds the arrays that matter, None where any will do. ``call_first``: call eagerly once before tracing, so that
    variables made on the first call exist. ``unwatched``: the inputs that a tape is not told to watch, with the line
    that says so.
    """

    fn: Callable[..., Any]
    inputs: tuple[InputSpec, ...]
    values: tuple[Any, ...]
    variables: Sequence[Any] | Callable[[], Sequence[Any]] | None
    call_first: bool
    unwatched: Mapping[str, Location] = field(default_factory=dict)


def locate(case: Case) -> tuple[str, str]:
    """File name and source text of the target, with the breaker written into it."""
    if find_strategy(case.target):
        return load_text(case.target, case.breaker)
    path, _ = split_target(case.target)
    if not path.endswith(".py"):
        raise BadInput(f"{path} is not a Python file: give file.py, or file.py:callable.")
    if not os.path.isfile(path):
        raise BadInput(f"There is no file {path}.")
    return os.path.abspath(path), Path(path).read_text(encoding="utf-8")


def way_of(case: Case, text: str) -> Way:
    """How to run it: as the user says, as the strategy is made for, as the file's ``mode`` says, else in a graph.

    The mode is read off the text, because control flow v1 must be switched on before the file runs.
    """
    if case.way is not None:
        return case.way
    strategy = find_strategy(case.target)
    if strategy is not None:
        return strategy.way
    found = _MODE.search(text)
    return _WAY_OF_MODE.get(found.group(1), "graph") if found else "graph"


def load(case: Case, file: str, text: str) -> Program:
    """Run the file and build its program anew (a second call makes fresh functions, which trace again)."""
    module = _run(file, text)
    name = None if find_strategy(case.target) else split_target(case.target)[1]
    if name is not None:
        return _of_callable(case, _find(module, name, file))
    build = getattr(module, "build", None)
    if build is None:
        raise BadInput(f"{os.path.basename(file)} defines no build(): name the function, as in file.py:function.")
    arguments = build_arguments(case) if find_strategy(case.target) else dict(case.options)
    return _of_description(case, _call_build(build, arguments, file), file, text)


def _run(file: str, text: str) -> ModuleType:
    """Execute edited text under the file's own name, so that every line in a report is a line of that file."""
    folder = os.path.dirname(file)
    declare_user_folder(folder)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    # an entry without a modification time is never refreshed: AutoGraph and inspect see the text that runs
    private.keep_edited_sources()
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    spec = importlib.util.spec_from_loader(MODULE, loader=None, origin=file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__file__ = file
    sys.modules[MODULE] = module
    exec(compile(text, file, "exec"), module.__dict__)
    return module


def _find(module: ModuleType, name: str, file: str) -> Callable[..., Any]:
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise BadInput(f"{os.path.basename(file)} has no {name}; it defines {_names(module)}.")
        found = getattr(found, part)
    if not callable(found):
        raise BadInput(f"{name} in {os.path.basename(file)} is not callable; it defines {_names(module)}.")
    return found


def _names(module: ModuleType) -> str:
    own = [n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", None) == MODULE]
    return ", ".join(own) or "nothing callable"


def _call_build(build: Callable[..., Any], arguments: dict[str, Any], file: str) -> dict[str, Any]:
    try:
        inspect.signature(build).bind(**arguments)
    except TypeError as error:
        raise BadInput(f"build() in {os.path.basename(file)} does not take these options: {error}.") from None
    described = build(**arguments)
    if not isinstance(described, dict) or not callable(described.get("fn")):
        raise BadInput(f"build() in {os.path.basename(file)} must return a dict with a callable 'fn'.")
    return described


def _of_description(case: Case, described: dict[str, Any], file: str, text: str) -> Program:
    fn = described["fn"]
    declared = described.get("inputs") or []
    sizes = described.get("concrete_shapes") or [None] * len(declared)
    names = parameter_names(fn, len(declared))
    own = [
        InputSpec(name, _dims(shape), _dtype(dtype), None if size is None else tuple(int(d) for d in size))
        for name, (shape, dtype), size in zip(names, declared, sizes, strict=True)
    ]
    values = tuple(described.get("values") or [None] * len(own))
    chosen = tuple(_merged(spec, case) for spec in own)
    _refuse_unknown(case, [s.name for s in own], file)
    values = tuple(v if spec.size == mine.size else None for v, spec, mine in zip(values, chosen, own, strict=True))
    return Program(
        fn=fn,
        inputs=chosen,
        values=values,
        variables=described.get("variables"),
        call_first=bool(described.get("prebuild", True)) and callable(described.get("variables")),
        unwatched=_unwatched(described.get("watch", names), names, file, text),
    )


def _unwatched(watched: Sequence[str], names: Sequence[str], file: str, text: str) -> dict[str, Location]:
    """The inputs that ``watch`` leaves out, each with the line of the text on which ``watch`` stands."""
    for name in watched:
        if name not in names:
            raise BadInput(f"{os.path.basename(file)} watches {name!r}; its inputs are: {', '.join(names) or 'none'}.")
    found = _WATCH.search(text)
    line = text.count("\n", 0, found.start()) + 1 if found else 1
    return {name: Location(file, line, "build") for name in names if name not in watched}


def _of_callable(case: Case, fn: Callable[..., Any]) -> Program:
    if not case.inputs:
        names = parameter_names(fn, None)
        if names:
            wanted = " ".join(f"--input {name}=SHAPE" for name in names)
            raise BadInput(f"The inputs' shapes are missing: give {wanted} (for example {names[0]}=None,10).")
    names = parameter_names(fn, None)
    given = {spec.name: spec for spec in case.inputs}
    ordered = [given[n] for n in names if n in given] + [s for s in case.inputs if s.name not in names]
    return Program(fn, tuple(ordered), (None,) * len(ordered), None, False)


def _merged(spec: InputSpec, case: Case) -> InputSpec:
    """What the user chose goes before what the target says."""
    mine = next((given for given in case.inputs if given.name == spec.name), None)
    if mine is None:
        return spec
    return InputSpec(
        spec.name,
        mine.shape if mine.shape is not None else spec.shape,
        mine.dtype if mine.shape is not None else spec.dtype,
        mine.size if mine.size is not None else spec.size,
    )


def _refuse_unknown(case: Case, names: Sequence[str], file: str) -> None:
    for given in case.inputs:
        if given.name not in names:
            inputs = ", ".join(names) or "none"
            raise BadInput(f"{os.path.basename(file)} has no input {given.name!r}; its inputs are: {inputs}.")


def _dims(shape: Sequence[Any]) -> Shape:
    """Plain numbers: TF1 shapes hold Dimension objects."""
    plain = [getattr(d, "value", d) for d in shape]
    return tuple(None if d is None else int(d) for d in plain)


def _dtype(dtype: Any) -> str:
    return dtype if isinstance(dtype, str) else str(getattr(dtype, "name", dtype))


def parameter_names(fn: Callable[..., Any], count: int | None) -> list[str]:
    """Names for the inputs, after the function's parameters; ``count`` None means those without a default."""
    fn = getattr(fn, "python_function", fn)
    if not inspect.isfunction(fn) and not inspect.ismethod(fn) and hasattr(fn, "call"):
        fn = fn.call  # a Keras layer or model
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    usual = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if count is None:
        return [p.name for p in usual if p.default is p.empty]
    named = [p.name for p in usual[:count]]
    return named + [f"x{k}" for k in range(len(named), count)]
