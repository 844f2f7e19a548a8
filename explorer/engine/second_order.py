"""The gradient of the gradient: how the squared norm of all first gradients depends on every source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import tensorflow as tf

from explorer.engine import again
from explorer.engine.errors import failure_of
from explorer.engine.inputs import arrays
from explorer.engine.sessions import initialise
from explorer.engine.sources import LiveSource, filled, measure
from explorer.engine.targets import Program
from explorer.model.case import Case, Way
from explorer.model.graph import Snapshot
from explorer.model.verdict import Failure, Measurement, SecondOrder
from explorer.rules.causes import CAUSES

v1 = tf.compat.v1
Load = Callable[[], Program]
_REFUSED = "Second-order gradient for while loops not supported"


def measure_second_order(case: Case, way: Way, load: Load, snapshot: Snapshot) -> SecondOrder:
    """Differentiate twice, in the way of the verdict; an error is the answer, with its explanation."""
    try:
        return SecondOrder(_in_session(case, load) if way == "tf1" else _in_tf2(case, way, load))
    except Exception as error:
        return SecondOrder(failure=_explained(failure_of(error, "probe", snapshot), snapshot))


def _in_tf2(case: Case, way: Way, load: Load) -> tuple[Measurement, ...]:
    program = load()
    given = arrays(program.inputs, program.values, case.seed)
    if way == "eager":
        answer = again.eagerly(program, given, case, order=2)
    else:
        answer = again.in_graph(program, given, case, order=2, jit=way == "xla")
    return _measured(answer.sources, answer.gradient_values)


def _in_session(case: Case, load: Load) -> tuple[Measurement, ...]:
    with tf.Graph().as_default():
        v1.set_random_seed(case.seed)
        program = load()
        given = arrays(program.inputs, program.values, case.seed)
        inputs, sources, _, gradients = again.in_session(program, case, order=2)
        with v1.Session() as session:
            initialise(session)
            feeds = {s.live: value for s, value in zip(inputs, given, strict=True)}
            found = session.run([g for g in gradients if g is not None], feeds)
    return _measured(sources, filled(gradients, found))


def _measured(sources: Sequence[LiveSource], gradients: Sequence[Any]) -> tuple[Measurement, ...]:
    return tuple(
        measure(s.name, g, lambda value: value) if s.asked else Measurement(s.name, "unobserved")
        for s, g in zip(sources, gradients, strict=True)
    )


def _explained(failure: Failure, snapshot: Snapshot) -> Failure:
    """TF1 says that it refuses, not which loop nor what to do."""
    if _REFUSED not in failure.message:
        return failure
    frames = [loop for loop in snapshot.loops if loop.kind == "frame"]
    deepest = max(frames, key=lambda loop: loop.depth, default=None)
    cause = CAUSES["second_order_tf1_loop"]
    return replace(
        failure,
        location=(snapshot.where(deepest.stack) if deepest else None) or failure.location,
        hint=f"{cause.title[:1].upper()}{cause.title[1:]}. {cause.remedy}",
    )
