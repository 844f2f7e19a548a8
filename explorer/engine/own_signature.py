"""What a callable says about its inputs: the names of its parameters, and shapes and dtypes where it tells them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tensorflow as tf

from explorer.model.case import InputSpec, Shape

Structures = dict[str, Any]
"""Parameter to a ``tf.TensorSpec``, or to lists and dicts of them."""


def parameter_names(fn: Callable[..., Any], count: int | None) -> list[str]:
    """Names for the inputs, after the function's parameters; ``count`` None means those without a default."""
    parameters = _parameters(fn)
    if count is None:
        return [p.name for p in parameters if p.default is p.empty]
    named = [p.name for p in parameters[:count]]
    return named + [f"x{k}" for k in range(len(named), count)]


def structures_of(fn: Callable[..., Any]) -> Structures | None:
    """The inputs as the callable declares them: ``input_signature``, a built Keras model's, or annotations.

    None where it does not tell all of them; parameters with a default that are not declared keep it.
    """
    declared = getattr(fn, "input_signature", None)
    if declared:
        return dict(zip(parameter_names(fn, len(declared)), declared, strict=True))
    if _is_keras(fn):
        return _of_keras(fn)
    found = {p.name: _annotated(p.annotation) for p in _parameters(fn)}
    needed = set(parameter_names(fn, None))
    told = {name: spec for name, spec in found.items() if spec is not None}
    leading = list(found)[: len(told)] == list(told)  # given by position, so none may be left out between two
    return told if told and needed <= told.keys() and leading else None


def inputs_of(structures: Structures) -> tuple[InputSpec, ...]:
    """One input per tensor; a tensor inside a list or dict is called after its parameter and its place there."""
    found: list[InputSpec] = []
    for parameter, structure in structures.items():
        for name, spec in _leaves(structure, parameter):
            found.append(InputSpec(name, dims_of(spec.shape), tf.as_dtype(spec.dtype).name))
    return tuple(found)


def nested(structures: Structures) -> bool:
    """Whether a parameter takes more than one tensor."""
    return any(not _is_spec(structure) for structure in structures.values())


def packed(fn: Callable[..., Any], structures: Structures) -> Callable[..., Any]:
    """``fn`` for tensors one by one, in the order of ``inputs_of``."""
    whole = list(structures.values())

    def unpacked(*tensors: Any) -> Any:
        return fn(*tf.nest.pack_sequence_as(whole, list(tensors)))

    return unpacked


def dims_of(shape: Any) -> Shape | None:
    """Plain numbers; None for an unknown rank."""
    shape = tf.TensorShape(shape)
    return None if shape.rank is None else tuple(shape.as_list())


def _parameters(fn: Callable[..., Any]) -> list[inspect.Parameter]:
    fn = getattr(fn, "python_function", fn)
    if not inspect.isfunction(fn) and not inspect.ismethod(fn) and hasattr(fn, "call"):
        fn = fn.call  # a Keras layer or model
    try:
        # an annotation may be a name (from __future__ import annotations) that only its module can read
        parameters = list(inspect.signature(fn, eval_str=True).parameters.values())
    except Exception:
        parameters = _unread(fn)
    return [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _unread(fn: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        return []


def _annotated(annotation: Any) -> Any:
    return annotation if isinstance(annotation, tf.TensorSpec) else None


def _is_keras(fn: object) -> bool:
    return any(kind.__module__.startswith(("keras.", "tf_keras.")) for kind in type(fn).__mro__)


def _of_keras(fn: Any) -> Structures | None:
    """A functional or sequential model's inputs; else the shape that a layer was built with, its batch left open."""
    name = (parameter_names(fn, None) or ["x"])[0]
    if getattr(fn, "inputs", None):
        given = getattr(fn, "_inputs_struct", None) or fn.inputs
        specs = tf.nest.map_structure(lambda t: tf.TensorSpec(t.shape, t.dtype), given)
        return {name: specs[0] if isinstance(specs, (list, tuple)) and len(specs) == 1 else specs}
    shapes = list((getattr(fn, "_build_shapes_dict", None) or {}).values())
    if (
        len(shapes) != 1
        or not isinstance(shapes[0], tuple)
        or not all(d is None or isinstance(d, int) for d in shapes[0])
    ):
        return None
    return {name: tf.TensorSpec([None, *shapes[0][1:]], getattr(fn, "compute_dtype", "float32"))}


def _is_spec(structure: object) -> bool:
    return isinstance(structure, tf.TensorSpec)


def _leaves(structure: Any, name: str) -> Iterator[tuple[str, Any]]:
    """In the order of ``tf.nest.flatten``."""
    if _is_spec(structure):
        yield name, structure
    elif isinstance(structure, Mapping):
        for key in sorted(structure):
            yield from _leaves(structure[key], f"{name}_{key}")
    else:
        for place, part in enumerate(structure):
            yield from _leaves(part, f"{name}_{place}")
