"""The loss as a function of the sources' values, for one way of running the program."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.capture import private
from explorer.engine import again
from explorer.engine.inputs import arrays, constants, signature
from explorer.engine.sessions import initialise
from explorer.engine.sources import LiveSource, filled, losses_of
from explorer.engine.targets import Program
from explorer.model.case import Case, Way

v1 = tf.compat.v1
Load = Callable[[], Program]
Values = Mapping[str, np.ndarray]


@dataclass
class Evaluation:
    """``gradients`` and ``values`` belong to the sources by name; a gradient is None where TensorFlow gives none."""

    sources: Sequence[LiveSource]
    gradients: Mapping[str, np.ndarray | None]
    values: Values
    run: Callable[[Values], Sequence[Any]]
    largest: float = field(default=0.0)

    def loss(self, changed: Values) -> float:
        """The sum of all losses, added up in float64, with some sources changed. ``largest`` remembers the addends."""
        total = 0.0
        for loss in self.run({**self.values, **changed}):
            numbers = np.asarray(loss).astype(np.complex128).real
            if np.isfinite(numbers).all():
                self.largest = max(self.largest, float(np.abs(numbers).sum()))
            total += float(numbers.sum())
        return total


@contextlib.contextmanager
def evaluating(case: Case, way: Way, load: Load) -> Iterator[Evaluation]:
    """An Evaluation of the program, loaded again."""
    if way == "tf1":
        with _in_session(case, load) as evaluation:
            yield evaluation
    else:
        yield _in_tf2(case, way, load())


def _in_tf2(case: Case, way: Way, program: Program) -> Evaluation:
    given = arrays(program.inputs, program.values, case.seed)
    jit = way == "xla"
    if way == "eager":
        answer, call = again.eagerly(program, given, case), program.fn
    else:
        answer, call = again.in_graph(program, given, case, jit=jit), private.autograph_convert(program.fn)

    def forward(*xs: Any) -> Any:
        return losses_of(call(*xs), case.loss)

    function = forward
    if way != "eager":
        function = tf.function(
            forward, input_signature=signature(program.inputs), autograph=False, jit_compile=jit or None
        )
    variables = {s.name: s.live for s in answer.sources if s.kind == "variable"}
    names = [spec.name for spec in program.inputs]
    values = dict(zip(names, given, strict=True)) | {name: live.numpy() for name, live in variables.items()}

    def run(now: Values) -> Sequence[Any]:
        for name, live in variables.items():  # all of them: the program itself may assign
            live.assign(now[name])
        return [t.numpy() for t in function(*constants(program.inputs, [now[name] for name in names]))]

    gradients = dict(zip((s.name for s in answer.sources), answer.gradient_values, strict=True))
    return Evaluation(answer.sources, gradients, values, run)


@contextlib.contextmanager
def _in_session(case: Case, load: Load) -> Iterator[Evaluation]:
    with tf.Graph().as_default():
        v1.set_random_seed(case.seed)
        program = load()
        given = arrays(program.inputs, program.values, case.seed)
        inputs, sources, losses, gradients = again.in_session(program, case)
        variables = {s.name: s.live for s in sources if s.kind == "variable"}
        holes = {name: v1.placeholder(live.dtype.base_dtype, live.shape) for name, live in variables.items()}
        stores = [live.assign(holes[name], read_value=False) for name, live in variables.items()]
        with v1.Session() as session:
            initialise(session)
            feeds = {s.name: value for s, value in zip(inputs, given, strict=True)}
            values = {**feeds, **{name: session.run(live) for name, live in variables.items()}}

            def run(now: Values, fetches: Any = losses) -> Any:
                session.run(stores, {holes[name]: now[name] for name in holes})
                return session.run(fetches, {s.live: now[s.name] for s in inputs})

            found = filled(gradients, run(values, [g for g in gradients if g is not None]))
            named = {s.name: gradient for s, gradient in zip(sources, found, strict=True)}
            yield Evaluation(sources, named, values, run)
