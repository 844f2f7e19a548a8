"""Runs a user's Python file, or a sample model, and finds in it what is to be explored."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import linecache
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

from explorer.capture import private
from explorer.capture.lines import declare_user_folder
from explorer.engine.own_signature import inputs_of, nested, packed, parameter_names, structures_of
from explorer.engine.program import Program, chosen_inputs
from explorer.model.case import BadInput, Case, InputSpec, Shape
from explorer.model.graph import Location
from explorer.strategies.catalogue import find_strategy
from explorer.strategies.source import build_arguments
from explorer.strategies.target import split_target

MODULE = "explored_model"
_WATCH = re.compile(r"""['"]watch['"]\s*:""")


def load_python(case: Case, file: str, text: str) -> Program:
    """Run the file and build its program anew (a second call makes fresh functions, which trace again)."""
    module = _run(file, text)
    name = None if find_strategy(case.target) else split_target(case.target)[1]
    if name is not None:
        return _of_callable(case, _find(module, name, case, file), file)
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
    with _refusing(os.path.basename(file)):
        exec(compile(text, file, "exec"), module.__dict__)
    return module


@contextlib.contextmanager
def _refusing(name: str) -> Iterator[None]:
    """What makes a file impossible to load, rather than wrong, is bad input."""
    try:
        yield
    except SyntaxError as error:
        at = f"{os.path.basename(error.filename or name)}:{error.lineno}"
        raise BadInput(f"{at} is not valid Python ({error.msg}): correct that line.") from None
    except ModuleNotFoundError as error:
        raise BadInput(
            f"{name} imports {error.name}, which is not installed here: install it in the environment of the explorer."
        ) from None
    except SystemExit as end:
        raise BadInput(
            f"{name} ends itself while it is loaded (exit code {end.code}): put that under if __name__ == '__main__'."
        ) from None


def _find(module: ModuleType, name: str, case: Case, file: str) -> Callable[..., Any]:
    """What ``name`` stands for: ``function``, ``module.method``, ``make()``, ``make().method``, or a class's object."""
    found: Any = module
    options = dict(case.options)
    for part in name.split("."):
        plain = part.removesuffix("()")
        if not hasattr(found, plain):
            raise BadInput(f"{os.path.basename(file)} has no {name}; it defines {_names(module)}.")
        found = getattr(found, plain)
        if part != plain or isinstance(found, type):
            found, options = _made(found, plain, options), {}
            setattr(module, f"__made_by_{plain}__", found)  # a tf.function's method holds its object weakly
    if not callable(found):
        raise BadInput(f"{name} in {os.path.basename(file)} is not callable; it defines {_names(module)}.")
    return found


def _made(factory: Any, name: str, options: dict[str, Any]) -> Any:
    """What a factory or a class gives for the options."""
    try:
        inspect.signature(factory).bind(**options)
    except TypeError as error:
        raise BadInput(f"{name}() cannot be called with these options: {error}; give --option NAME=VALUE.") from None
    except ValueError:  # a callable that does not tell its parameters
        pass
    return factory(**options)


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
    chosen = chosen_inputs(case, own, os.path.basename(file))
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


def _of_callable(case: Case, fn: Callable[..., Any], file: str) -> Program:
    """Inputs as the callable tells them, with what the user chose; where it does not tell, as the user gives them."""
    structures = structures_of(fn)
    if structures is not None:
        inputs = chosen_inputs(case, inputs_of(structures), os.path.basename(file))
        owned = getattr(fn, "variables", None)
        run = packed(fn, structures) if nested(structures) else fn
        return Program(run, inputs, (None,) * len(inputs), owned if nested(structures) else None, False)
    names = parameter_names(fn, None)
    given = {spec.name: spec for spec in case.inputs}
    if names and not any(spec.shape is not None or spec.size is not None for spec in case.inputs):
        wanted = " ".join(f"--input {name}=SHAPE" for name in names)
        raise BadInput(f"The inputs' shapes are missing: give {wanted} (for example {names[0]}=None,10).")
    ordered = [given[n] for n in names if n in given] + [s for s in case.inputs if s.name not in names]
    return Program(fn, tuple(ordered), (None,) * len(ordered), None, False)


def _dims(shape: Sequence[Any]) -> Shape:
    """Plain numbers: TF1 shapes hold Dimension objects."""
    plain = [getattr(d, "value", d) for d in shape]
    return tuple(None if d is None else int(d) for d in plain)


def _dtype(dtype: Any) -> str:
    return dtype if isinstance(dtype, str) else str(getattr(dtype, "name", dtype))
