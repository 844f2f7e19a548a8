"""A SavedModel, as a folder or zipped: one of its signatures as the program."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import tensorflow as tf

from explorer.engine.archive import unpacked
from explorer.engine.own_signature import dims_of
from explorer.engine.program import Program, chosen_inputs
from explorer.engine.unreadable import check_size, refusing
from explorer.model.case import BadInput, Case, InputSpec
from explorer.rules.ops import ENTER
from explorer.strategies.target import split_target

USUAL = "serving_default"
LIMITS = (
    "A SavedModel holds no Python code: loops and ops are told by their name scopes, not by lines.",
    "How often its loops run is unobserved where the graph does not tell: they were built before they were loaded.",
)


def load_saved_model(case: Case, path: str) -> Program:
    """The program of the signature that the target names; raises BadInput with the signatures there are."""
    name = os.path.basename(path)
    with _folder(path) as folder, refusing(path, "SavedModel"):
        model = tf.saved_model.load(str(folder))
    function = _signature(model, split_target(case.target)[1], name)
    if any(op.type in ENTER for op in function.graph.get_operations()):
        raise BadInput(
            f"{name} was written by TensorFlow 1 and holds TF1 loops: freeze it (convert_variables_to_constants), and "
            "give the graph.pb."
        )
    specs = _inputs(function)
    inputs = chosen_inputs(case, [spec for _, spec in specs], name)
    keys = [key for key, _ in specs]

    def fn(*tensors: Any) -> Any:
        assert model is not None  # variables, tables and assets live as long as the model does
        return function(**dict(zip(keys, tensors, strict=True)))

    return Program(fn, inputs, (None,) * len(inputs), list(function.variables), False, limits=LIMITS)


@contextlib.contextmanager
def _folder(path: str) -> Iterator[Path]:
    """The folder in which saved_model.pb lies: the given one, or the only one that an archive holds."""
    if os.path.isdir(path):
        yield _checked(Path(path), path)
        return
    with unpacked(path) as folder:
        found = sorted(Path(folder).rglob("saved_model.pb*"))
        if len(found) > 1:
            raise BadInput(f"{os.path.basename(path)} holds {len(found)} SavedModels: pack one only.")
        yield _checked(found[0].parent if found else Path(folder), path)


def _checked(folder: Path, path: str) -> Path:
    found = [folder / name for name in ("saved_model.pb", "saved_model.pbtxt") if (folder / name).is_file()]
    if not found:
        raise BadInput(f"{os.path.basename(path)} holds no SavedModel: there is no saved_model.pb in it.")
    check_size(str(found[0]))
    return folder


def _signature(model: Any, wanted: str | None, name: str) -> Any:
    """The signature by name; without a name the only one, or the usual one."""
    known = dict(model.signatures) or _functions(model)
    if not known:
        raise BadInput(f"{name} holds no signature and no function: save it with signatures=...")
    if wanted is None and (len(known) == 1 or USUAL in known):
        return known.get(USUAL) or next(iter(known.values()))
    if wanted is not None and wanted in known:
        return known[wanted]
    told = ", ".join(sorted(known))
    if wanted is None:
        raise BadInput(f"{name} has several signatures: write {name}:NAME with one of {told}.")
    raise BadInput(f"{name} has no signature {wanted!r}; its signatures are: {told}.")


def _functions(model: Any) -> Mapping[str, Any]:
    """Functions that were saved without a signature, by name; those traced once, so that it is clear what they take."""
    found: dict[str, Callable[..., Any]] = {}
    for name, value in vars(model).items():
        traces = getattr(value, "concrete_functions", None)
        if traces is not None and len(traces) == 1 and not name.startswith("_"):
            found[name] = traces[0]
    return found


def _inputs(function: Any) -> list[tuple[str, InputSpec]]:
    """The name of each argument, and its spec."""
    positional, named = function.structured_input_signature
    specs = [*((spec.name or f"x{k}", spec) for k, spec in enumerate(positional)), *named.items()]
    if not all(isinstance(spec, tf.TensorSpec) for _, spec in specs):
        raise BadInput("The function takes more than tensors: save it with signatures=...")
    return [(key, InputSpec(key, dims_of(spec.shape), spec.dtype.name)) for key, spec in specs]
