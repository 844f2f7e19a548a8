"""Eager code under a tape: every op is recorded while it runs, then the same tape is asked for the gradients."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import tensorflow as tf

from explorer.capture import births
from explorer.capture.eager import EagerRecorder
from explorer.capture.python_bodies import recorded_bodies
from explorer.engine.inputs import constants
from explorer.engine.progress import Progress
from explorer.engine.sources import LiveSource, backward_run, choose, live_inputs, live_variables, losses_of, watch
from explorer.engine.targets import Program
from explorer.flow.bodies import with_bodies
from explorer.model.case import Case
from explorer.model.verdict import Risk


def explore(program: Program, arrays: Sequence[np.ndarray], case: Case, progress: Progress) -> None:
    """Run, predict from the recording, differentiate. What ran before an error is kept as well."""
    progress.enter("trace")
    given = constants(program.inputs, arrays)
    inputs = live_inputs(program, given)
    recorder = EagerRecorder()
    born = births.count()
    births.function_begins()
    try:
        with recorder, recorded_bodies() as bodies, tf.GradientTape() as tape:
            watch(tape, inputs)
            losses = losses_of(program.fn(*given), case.loss)
    except Exception:
        progress.captured(recorder.snapshot(_told(inputs), []))
        raise
    variables = live_variables(program, tape.watched_variables(), [s.name for s in program.inputs])
    sources = choose([*inputs, *variables], case.wrt)
    progress.enter("predict")
    snapshot = recorder.snapshot(_told(sources), losses)
    known = tuple(live.frozen(found.tensor) for live, found in zip(sources, snapshot.sources, strict=True))
    snapshot = with_bodies(replace(snapshot, sources=known), bodies)
    fresh = _fresh_weights(born)
    progress.captured(snapshot, fresh)
    trips = {loop.id: loop.runs for loop in snapshot.loops if loop.runs is not None}
    progress.tell("trips", trips)
    if case.static_only:
        return
    progress.enter("backward")
    gradients = tape.gradient(losses, [s.live for s in sources if s.asked])
    progress.measured(backward_run(sources, gradients, losses, lambda t: t.numpy()))
    if births.count() > born and not fresh and progress.flow is not None:
        _call_again(program, given)
        progress.correct(snapshot, replace(progress.flow, risks=(*progress.flow.risks, *_fresh_weights(born))))


def _call_again(program: Program, given: Sequence[tf.Tensor]) -> None:
    """A variable made once may be kept for the next call, as Keras layers do; only the next call tells."""
    with contextlib.suppress(Exception):  # what it raises, if anything, was no part of the run that was asked for
        program.fn(*given)


def _fresh_weights(born: int) -> list[Risk]:
    """A layer made inside the function has fresh weights on each call, so none of them is ever trained."""
    return [
        Risk(
            "fresh_weights", -1, "Variable", "", where,
            f"Variables are made here anew while the function runs ({times} seen): fresh weights on each call, none "
            "shared and none trained. Make the layer or variable once, outside the function.",
        )
        for where, times in births.made_again(born)
    ]  # fmt: skip


def _told(sources: Sequence[LiveSource]) -> list[tuple[str, str, object]]:
    return [(s.name, s.kind, s.live) for s in sources]
