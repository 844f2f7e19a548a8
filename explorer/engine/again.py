"""The program once more, without pictures: what the checks after the verdict differentiate.

The same call, tape and order of steps as in the run that gave the verdict, over a program that was loaded again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.capture import private
from explorer.engine.inputs import constants, signature
from explorer.engine.sessions import placeholders
from explorer.engine.sources import LiveSource, choose, filled, live_inputs, live_variables, losses_of, watch
from explorer.engine.targets import Program
from explorer.model.case import Case

v1 = tf.compat.v1
Region = Callable[[], contextlib.AbstractContextManager[Any]]


@dataclass(frozen=True)
class Answer:
    """``gradients`` belong to ``sources``, None where TensorFlow gave none; ``losses`` are what was differentiated.

    ``*_values`` are the numbers, the others the live tensors (symbolic in a graph).
    """

    sources: tuple[LiveSource, ...]
    losses: tuple[Any, ...]
    gradients: tuple[Any, ...]
    loss_values: tuple[np.ndarray, ...]
    gradient_values: tuple[Any, ...]


def eagerly(
    program: Program,
    arrays: Sequence[np.ndarray],
    case: Case,
    order: int = 1,
    backward: Region = contextlib.nullcontext,
) -> Answer:
    """Run under tapes, op by op. ``backward`` surrounds calls for gradients; ``order`` 2: of the gradients' norm."""
    sources, losses, gradients = differentiate(
        program, program.fn, constants(program.inputs, arrays), case, order, backward
    )
    values = tuple(None if g is None else dense(g) for g in gradients)
    return Answer(sources, losses, gradients, tuple(t.numpy() for t in losses), values)


def in_graph(
    program: Program,
    arrays: Sequence[np.ndarray],
    case: Case,
    order: int = 1,
    backward: Region = contextlib.nullcontext,
    jit: bool = False,
) -> Answer:
    """The same inside ``tf.function``."""
    given = constants(program.inputs, arrays)
    if program.call_first:
        program.fn(*given)
    fn = private.autograph_convert(program.fn)
    told: list[tuple[tuple[LiveSource, ...], tuple[Any, ...], tuple[Any, ...]]] = []

    def step(*xs: tf.Tensor) -> Any:
        told.append(differentiate(program, fn, xs, case, order, backward))
        return told[-1][1], [g for g in told[-1][2] if g is not None]

    traced = tf.function(step, input_signature=signature(program.inputs), autograph=False, jit_compile=jit or None)
    loss_values, found = traced(*given)
    sources, losses, gradients = told[-1]
    values = tuple(None if g is None else dense(g) for g in filled(gradients, found))
    return Answer(sources, losses, gradients, tuple(t.numpy() for t in loss_values), values)


def in_session(
    program: Program, case: Case, order: int = 1, backward: Region = contextlib.nullcontext
) -> tuple[list[LiveSource], tuple[LiveSource, ...], tuple[Any, ...], tuple[Any, ...]]:
    """Build in the current TF1 graph: inputs, sources, losses, one dense gradient (or None) per source."""
    inputs = placeholders(program)
    losses = tuple(losses_of(program.fn(*(s.live for s in inputs)), case.loss))
    variables = live_variables(program, v1.trainable_variables(), [s.name for s in inputs])
    sources = tuple(choose([*inputs, *variables], case.wrt))
    targets: Any = losses
    for _ in range(order):
        with backward():
            found = iter(v1.gradients(targets, [s.live for s in sources if s.asked]) if targets else ())
        gradients = [next(found, None) if s.asked else None for s in sources]
        targets = squares(gradients)
    return inputs, sources, losses, tuple(None if g is None else tf.convert_to_tensor(g) for g in gradients)


def squares(gradients: Sequence[Any]) -> list[tf.Tensor]:
    """The squared norm of every gradient there is."""
    tensors = [tf.convert_to_tensor(g) for g in gradients if g is not None]
    return [tf.reduce_sum(tf.math.real(t * tf.math.conj(t)) if t.dtype.is_complex else t * t) for t in tensors]


def dense(gradient: Any) -> np.ndarray:
    """The gradient's numbers; duplicates of an IndexedSlices added up."""
    return np.asarray(tf.convert_to_tensor(gradient).numpy())


def differentiate(
    program: Program,
    call: Callable[..., Any],
    xs: Sequence[Any],
    case: Case,
    order: int = 1,
    backward: Region = contextlib.nullcontext,
) -> tuple[tuple[LiveSource, ...], tuple[Any, ...], tuple[Any, ...]]:
    """Sources, losses, and one gradient (or None) per source, under a tape where one is wanted: eager or traced."""
    inputs = live_inputs(program, xs)
    with tf.GradientTape() as tape:
        watch(tape, inputs)
        if order == 1:
            losses = tuple(losses_of(call(*xs), case.loss))
            targets: Sequence[Any] = losses
            variables = live_variables(program, tape.watched_variables(), [s.name for s in inputs])
            sources = tuple(choose([*inputs, *variables], case.wrt))
        else:
            sources, losses, lower = differentiate(program, call, xs, case, order - 1, backward)
            targets = squares(lower)
    with backward():
        asked = [s.live for s in sources if s.asked]
        found = iter(tape.gradient(targets, asked) if targets else ())
    return sources, losses, tuple(next(found, None) if s.asked else None for s in sources)
