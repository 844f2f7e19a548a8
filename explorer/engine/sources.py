"""What is differentiated with respect to what: inputs and variables with names, losses, and the measured gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import tensorflow as tf

from explorer.capture.births import born, copied
from explorer.capture.builder import shape_of
from explorer.engine.inputs import is_float
from explorer.engine.targets import Program
from explorer.model.case import BadInput, Shape
from explorer.model.graph import Location, Source
from explorer.model.verdict import BackwardRun, Measured, Measurement


@dataclass(frozen=True)
class LiveSource:
    """A source with its live tensor or variable. ``differentiable``: of floating dtype and trainable.

    ``unwatched`` is the line that leaves an input out of what the tape watches.
    """

    name: str
    kind: Literal["input", "variable"]
    live: Any
    dtype: str
    shape: Shape | None
    differentiable: bool
    unwatched: Location | None = None

    @property
    def asked(self) -> bool:
        """Whether TensorFlow is asked for its gradient: variables always, to hear what it says of the untrainable."""
        return self.differentiable or self.kind == "variable"

    def frozen(self, tensor: int) -> Source:
        """The Source; ``tensor`` is its id in the Snapshot, -1 where the program never reads it."""
        made, read = (born(self.live), copied(self.live)) if self.kind == "variable" else (None, None)
        return Source(
            self.name, self.kind, self.dtype, self.shape, tensor, self.differentiable, made, read, self.unwatched
        )


def live_inputs(program: Program, tensors: Sequence[Any], taped: bool = True) -> list[LiveSource]:
    """The inputs as sources, in order; without a tape nothing has to be watched."""
    unwatched = program.unwatched if taped else {}
    return [
        LiveSource(spec.name, "input", tensor, spec.dtype, spec.shape, is_float(spec), unwatched.get(spec.name))
        for spec, tensor in zip(program.inputs, tensors, strict=True)
    ]


def watch(tape: tf.GradientTape, sources: Sequence[LiveSource]) -> None:
    """Let the tape watch the inputs that it is to watch; variables it watches by itself."""
    for source in sources:
        if source.differentiable and source.unwatched is None:
            tape.watch(source.live)


def filled(gradients: Sequence[Any], found: Sequence[Any]) -> list[Any]:
    """``found`` in the places where TensorFlow gave a gradient; None, which cannot be fetched, in the others."""
    remaining = iter(found)
    return [None if gradient is None else next(remaining) for gradient in gradients]


def live_variables(program: Program, watched: Sequence[Any], taken: Sequence[str]) -> list[LiveSource]:
    """The target's variables, else what the callable owns and the tape saw; asked after the first call."""
    given = program.variables() if callable(program.variables) else program.variables
    if given is None:
        owned = list(getattr(program.fn, "variables", None) or ())
        given = _unique([*(raw(v) for v in owned), *watched])
    names = set(taken)
    return [_live_variable(variable, names) for variable in (raw(v) for v in given)]


def raw(variable: Any) -> Any:
    """The tf.Variable inside a Keras variable, which knows its path."""
    if type(variable).__module__.startswith("keras") and hasattr(variable, "value"):
        inner = variable.value
        inner._explorer_name = variable.path  # Keras names the tf.Variable only by its last part
        return inner
    return variable


def _unique(variables: Sequence[Any]) -> list[Any]:
    seen: dict[int, Any] = {}
    for variable in variables:
        seen.setdefault(id(variable), variable)
    return list(seen.values())


def _live_variable(variable: Any, taken: set[str]) -> LiveSource:
    plain = str(variable.name).split(":")[0]
    base = plain if plain not in taken else getattr(variable, "_explorer_name", plain)
    name, n = base, 1
    while name in taken:
        n += 1
        name = f"{base}_{n}"
    taken.add(name)
    dtype = variable.dtype.base_dtype
    trainable = bool(getattr(variable, "trainable", True)) and (dtype.is_floating or dtype.is_complex)
    return LiveSource(name, "variable", variable, dtype.name, shape_of(variable.shape), trainable)


def losses_of(output: Any, chosen: str | None) -> list[Any]:
    """The tensors to differentiate: ``chosen`` names a key or index of the output, else every float in it."""
    if chosen is not None:
        output = _pick(output, chosen)
    flat = [o for o in tf.nest.flatten(output) if o is not None]
    if not flat:
        raise BadInput("The function returns nothing: return the loss (or an output, whose sum is differentiated).")
    tensors = [o if tf.is_tensor(o) and not isinstance(o, tf.Variable) else tf.convert_to_tensor(o) for o in flat]
    floats = [t for t in tensors if t.dtype.is_floating or t.dtype.is_complex]
    return floats or tensors[:1]


def _pick(output: Any, chosen: str) -> Any:
    if isinstance(output, dict):
        if chosen in output:
            return output[chosen]
        raise BadInput(f"The output has no {chosen!r}; its keys are: {', '.join(map(str, output))}.")
    flat = list(output) if isinstance(output, (list, tuple)) else [output]
    if chosen.isdecimal() and int(chosen) < len(flat):
        return flat[int(chosen)]
    raise BadInput(f"--loss {chosen} names no output: write a number from 0 to {len(flat) - 1}.")


def choose(sources: Sequence[LiveSource], wanted: Sequence[str]) -> list[LiveSource]:
    """Only the sources named by --wrt; all without it. A layer's name in front may be left out."""
    return [_named(sources, name) for name in wanted] if wanted else list(sources)


def _named(sources: Sequence[LiveSource], name: str) -> LiveSource:
    found = [s for s in sources if s.name == name] or [s for s in sources if s.name.endswith(f"/{name}")]
    if len(found) == 1:
        return found[0]
    if found:
        told = ", ".join(s.name for s in found)
        raise BadInput(f"{name!r} is the name of {len(found)} sources, {told}: write one of them whole.")
    raise BadInput(f"There is no source {name!r}; the sources are: {', '.join(s.name for s in sources)}.")


def backward_run(
    sources: Sequence[LiveSource], gradients: Sequence[Any], losses: Sequence[Any], read: Callable[[Any], Any]
) -> BackwardRun:
    """What was measured. ``gradients`` belongs to the sources asked for, in order; ``read`` turns to numpy."""
    given = iter(gradients)
    measurements = [
        measure(s.name, next(given), read) if s.asked else Measurement(s.name, "unobserved") for s in sources
    ]
    values = [np.asarray(read(loss)) for loss in losses]
    total = sum(float(v.astype(np.complex128).sum().real) for v in values if v.dtype.kind in "fiucb")
    return BackwardRun(tuple(measurements), total, any(v.size != 1 for v in values) or len(values) > 1)


def measure(name: str, gradient: Any, read: Callable[[Any], Any]) -> Measurement:
    """One gradient's bare facts; duplicates of an IndexedSlices are added up first."""
    if gradient is None:
        return Measurement(name, "none")
    sparse = hasattr(gradient, "indices") and hasattr(gradient, "values")
    array = _dense(gradient, read) if sparse else np.asarray(read(gradient))
    values = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    if values.size == 0:
        return Measurement(name, "zero", 0.0, 0, 0.0, sparse)
    size = np.abs(values)
    told: Measured = (
        "nan" if np.isnan(values).any() else "inf" if np.isinf(values).any() else "finite" if values.any() else "zero"
    )
    with np.errstate(over="ignore", invalid="ignore"):
        norm = float(np.sqrt((size**2).sum()))
    return Measurement(name, told, norm, int(values.size), float(size.max()), sparse)


def _dense(slices: Any, read: Callable[[Any], Any]) -> np.ndarray:
    values, indices = np.asarray(read(slices.values)), np.asarray(read(slices.indices))
    if slices.dense_shape is None:
        return values
    dense = np.zeros([int(d) for d in np.asarray(read(slices.dense_shape))], values.dtype)
    np.add.at(dense, indices, values)
    return dense
