"""Shapes, sizes and inputs between the user's text and values: ``x=None,None,None,10:float32`` and ``x=3,5,7,10``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from explorer.model.case import BadInput, InputSpec, Shape
from explorer.strategies.wording import shown, split_pair, unknown

DTYPES: dict[str, int] = {
    "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16,
    "int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8,
    "bool": 1, "string": 16,
}  # fmt: skip
"""The dtypes an input may have, with the bytes of one element."""

Value = TypeVar("Value")

SCALARS = ("()", "[]")
# Python refuses to read numbers of thousands of digits; eighteen are more than any dimension has.
WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
# What would be ambiguous inside a command line, a URL or a sentence.
NAME = re.compile(r"[^\s=;,]+")


def read_inputs(inputs: Iterable[str], sizes: Iterable[str], example: str, size_example: str) -> list[InputSpec]:
    """The inputs in the order in which they are first named; refuses a name given twice."""
    shapes = _by_name((read_input(text, example) for text in inputs), "input")
    wanted = _by_name((read_size(text, size_example) for text in sizes), "size")
    specs = []
    for name in dict.fromkeys([*shapes, *wanted]):
        shape, dtype = shapes.get(name, (None, "float32"))
        specs.append(InputSpec(name=name, shape=shape, dtype=dtype, size=wanted.get(name)))
    return specs


def _by_name(pairs: Iterable[tuple[str, Value]], kind: str) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name, value in pairs:
        if name in found:
            raise BadInput(f"The {kind} of {name!r} is given twice: write --{kind} {name}=... once.")
        found[name] = value
    return found


def read_input(text: str, example: str) -> tuple[str, tuple[Shape, str]]:
    """``NAME=SHAPE[:DTYPE]``."""
    name, rest = split_pair(text, "Input", "NAME=SHAPE", example)
    shape, sign, dtype = (part.strip() for part in rest.partition(":"))
    if not sign:
        dtype = "float32"
    if dtype not in DTYPES:
        raise unknown("dtype", dtype, DTYPES, f"input {name}")
    return _checked(name), (_read_shape(name, shape, example), dtype)


def read_size(text: str, example: str) -> tuple[str, tuple[int, ...]]:
    """``NAME=SIZES``."""
    name, rest = split_pair(text, "Size", "NAME=SIZES", example)
    entries = [_read_entry(name, part, example) for part in _parts(rest)]
    if None in entries:
        raise BadInput(
            f"The size of {name}, {rest}, leaves a dimension open: write a number for each, as in {example}."
        )
    return _checked(name), tuple(entry for entry in entries if entry is not None)


def _read_shape(name: str, text: str, example: str) -> Shape:
    return tuple(_read_entry(name, part, example) for part in _parts(text))


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        raise BadInput(f"{shown(name)} cannot be the name of an input: write one word without '=', ',' or ';'.")
    return name


def _parts(text: str) -> list[str]:
    if text in SCALARS:
        return []
    if text[:1] + text[-1:] in SCALARS:
        text = text[1:-1]
    return [part.strip() for part in text.removesuffix(",").split(",")]


def _read_entry(name: str, part: str, example: str) -> int | None:
    if part.lower() == "none":
        return None
    if not WHOLE.fullmatch(part):
        what = f"{shown(part)} is" if part else "an empty place is"
        raise BadInput(f"In {name}, {what} not a dimension: write a whole number or None, as in {example}.")
    if int(part) < 0:
        raise BadInput(f"In {name}, the size {part} is negative: write a whole number or None, as in {example}.")
    return int(part)


def dims_text(dims: Iterable[int | None]) -> str:
    """``None,None,None,10``; ``()`` for a scalar."""
    return ",".join(str(dim) for dim in dims) or SCALARS[0]


def input_text(spec: InputSpec) -> str | None:
    """The spec as one would write it for ``--input``; None where the shape is left to the target."""
    if spec.shape is None:
        return None
    return f"{spec.name}={dims_text(spec.shape)}" + ("" if spec.dtype == "float32" else f":{spec.dtype}")


def size_text(spec: InputSpec) -> str | None:
    """The spec as one would write it for ``--size``; None where the size is left open."""
    return None if spec.size is None else f"{spec.name}={dims_text(spec.size)}"
