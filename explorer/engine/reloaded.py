"""The gradient of variables that a reloaded graph lost: once more, with the handle data handed down again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from explorer.capture.handle_data import restore_handle_data
from explorer.engine.inputs import arrays, constants, signature
from explorer.engine.progress import Progress
from explorer.engine.sources import choose, filled, live_inputs, live_variables, losses_of, measure, watch
from explorer.engine.targets import Program
from explorer.model.case import Case
from explorer.model.verdict import BackwardRun, GradientFlow, Measurement


def lost_sources(flow: GradientFlow | None) -> list[str]:
    """The sources that TensorFlow drops because a handle's data is missing."""
    barriers = {b.id for b in flow.barriers if b.cause == "lost_handle_data"} if flow else set()
    return [p.source for p in flow.predictions if barriers & set(p.barriers)] if flow else []


def tell_repaired(case: Case, load: Callable[[], Program], progress: Progress, run: BackwardRun) -> None:
    """Say both numbers for each lost source: what TensorFlow answers, and what it answers for the repaired graph."""
    lost = lost_sources(progress.flow)
    plain = {m.source: m for m in run.measurements}
    for repaired in _measure(case, load(), lost):
        progress.note(
            f"{repaired.source}: TensorFlow answers {_told(plain[repaired.source])} for the reloaded graph; with the "
            f"handle data of its inner loops restored, the norm of the same gradient is {_told(repaired)}."
        )


def _told(found: Measurement) -> str:
    return found.measured if found.norm is None else "exactly 0" if found.norm == 0 else f"{found.norm:.6g}"


def _measure(case: Case, program: Program, wanted: list[str]) -> list[Measurement]:
    names: list[str] = []
    gradients: list[Any] = []

    def step(*xs: tf.Tensor) -> Any:
        inputs = live_inputs(program, xs)
        with tf.GradientTape() as tape:
            watch(tape, inputs)
            losses = losses_of(program.fn(*xs), case.loss)
        variables = live_variables(program, tape.watched_variables(), [s.name for s in program.inputs])
        sources = [s for s in choose([*inputs, *variables], case.wrt) if s.name in wanted]
        restore_handle_data(tf.compat.v1.get_default_graph())
        names.extend(s.name for s in sources)
        gradients.extend(tape.gradient(losses, [s.live for s in sources]))
        return [g for g in gradients if g is not None]

    given = constants(program.inputs, arrays(program.inputs, program.values, case.seed))
    found = tf.function(step, input_signature=signature(program.inputs))(*given)
    return [measure(n, g, lambda t: t.numpy()) for n, g in zip(names, filled(gradients, found), strict=True)]
