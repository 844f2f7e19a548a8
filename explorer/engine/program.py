"""A live target: what every way of running takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.model.case import BadInput, Case, InputSpec
from explorer.model.graph import Location


@dataclass(frozen=True)
class Program:
    """A live target: the callable, its inputs and its variables.

    ``variables`` is a list, a callable giving one (asked after the first call), or None: found by tracing. ``values``
    holds the arrays that matter, None where any will do. ``call_first``: call eagerly once before tracing, so that
    variables made on the first call exist. ``unwatched``: the inputs that a tape is not told to watch, with the line
    that says so. ``limits`` says what cannot be observed of a program that came without
    its Python code, one sentence each; ``unmeasured`` why it can be predicted only, empty where it can run.
    """

    fn: Callable[..., Any]
    inputs: tuple[InputSpec, ...]
    values: tuple[Any, ...]
    variables: Sequence[Any] | Callable[[], Sequence[Any]] | None
    call_first: bool
    unwatched: Mapping[str, Location] = field(default_factory=dict)
    limits: tuple[str, ...] = ()
    unmeasured: str = ""


def chosen_inputs(case: Case, own: Sequence[InputSpec], file: str) -> tuple[InputSpec, ...]:
    """The target's own inputs, with what the user chose before what the target says; refuses unknown names."""
    names = [spec.name for spec in own]
    for given in case.inputs:
        if given.name not in names:
            inputs = ", ".join(names) or "none"
            raise BadInput(f"{file} has no input {given.name!r}; its inputs are: {inputs}.")
    return tuple(_merged(spec, case) for spec in own)


def _merged(spec: InputSpec, case: Case) -> InputSpec:
    mine = next((given for given in case.inputs if given.name == spec.name), None)
    if mine is None:
        return spec
    return InputSpec(
        spec.name,
        mine.shape if mine.shape is not None else spec.shape,
        mine.dtype if mine.shape is not None else spec.dtype,
        mine.size if mine.size is not None else spec.size,
    )
