"""The tape inside ``tf.function``, with or without XLA: trace, freeze BEFORE the gradient is asked for, differentiate.

Freezing comes first because ``GradientTape.gradient`` rewrites the traced loops (new carried values,
``TensorListPushBack`` in the body), and what was traced is what is differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.capture import births, private
from explorer.capture.builder import SnapshotBuilder
from explorer.capture.freeze import Freezer, Place
from explorer.engine.inputs import constants, signature
from explorer.engine.loop_bodies import loop_bodies
from explorer.engine.loop_costs import stored_in, tell_costs
from explorer.engine.progress import Progress
from explorer.engine.python_bodies import learning_from_python
from explorer.engine.sources import (
    LiveSource,
    backward_run,
    choose,
    filled,
    live_inputs,
    live_variables,
    losses_of,
    watch,
)
from explorer.engine.targets import Program
from explorer.model.case import Case
from explorer.model.graph import ControlFlow, Snapshot


def explore(program: Program, arrays: Sequence[np.ndarray], case: Case, progress: Progress, *, jit: bool) -> None:
    """Trace, predict, differentiate and run; everything known is told as it comes."""
    given = constants(program.inputs, arrays)
    births.function_begins()
    if program.call_first:
        program.fn(*given)
    fn = private.autograph_convert(program.fn)
    told: dict[str, Any] = {}

    def step(*xs: tf.Tensor) -> Any:
        progress.enter("trace")
        inputs = live_inputs(program, xs)
        with tf.GradientTape() as tape:
            watch(tape, inputs)
            losses = _losses(fn, inputs, case, progress)
        variables = live_variables(program, tape.watched_variables(), [s.name for s in program.inputs])
        sources = choose([*inputs, *variables], case.wrt)
        progress.enter("predict")
        progress.captured(freeze_trace(losses, sources))
        if case.static_only:
            return losses, []
        progress.enter("backward")
        loops = loop_bodies(tf.compat.v1.get_default_graph()) if case.probe else {}
        results = {loop: len(body.outputs) for loop, body in loops.items()}
        gradients = tape.gradient(losses, [s.live for s in sources if s.asked])
        told.update(sources=sources, gradients=gradients, stored=stored_in(loops, results))
        return losses, [g for g in gradients if g is not None]

    traced = tf.function(step, input_signature=signature(program.inputs), autograph=False, jit_compile=jit or None)
    if case.static_only:
        traced.get_concrete_function()
        return
    with learning_from_python(progress):
        losses, found = traced(*given)
    gradients = filled(told["gradients"], found)
    progress.measured(backward_run(told["sources"], gradients, losses, lambda t: t.numpy()))
    if case.probe:
        tell_costs(told["stored"], progress)


def _losses(fn: Callable[..., Any], inputs: Sequence[LiveSource], case: Case, progress: Progress) -> list[Any]:
    """Call the function; where it raises while tracing, what was traced so far is kept."""
    try:
        return losses_of(fn(*(s.live for s in inputs)), case.loss)
    except Exception:
        progress.captured(freeze_trace([], inputs, complete=False))
        raise


def freeze_trace(losses: Sequence[tf.Tensor], sources: Sequence[LiveSource], complete: bool = True) -> Snapshot:
    """A Snapshot of the graph being traced right now."""
    graph = tf.compat.v1.get_default_graph()
    captured = {id(outer): inner for outer, inner in graph.captures}
    handles = {id(s.live.handle): s.name for s in sources if s.kind == "variable" and hasattr(s.live, "handle")}
    builder = SnapshotBuilder()
    ids = Freezer(builder, handles, taped=graph).graph(
        graph, "root", -1, Place(), outputs=[t for t in losses if t.graph is graph]
    )
    frozen = []
    for source in sources:
        live = source.live if source.kind == "input" else captured.get(id(getattr(source.live, "handle", None)))
        frozen.append(source.frozen(-1 if live is None else ids.get(id(live), -1)))
    control_flow: ControlFlow = "v2" if builder.loops else "none"
    return builder.freeze(frozen, [ids[id(t)] for t in losses if id(t) in ids], control_flow, complete)
