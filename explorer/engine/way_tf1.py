"""Graph and session with control flow v1: real frames, ``tf.gradients``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.capture.builder import SnapshotBuilder
from explorer.capture.frames import freeze_frames, loop_ids
from explorer.engine import probing
from explorer.engine.array_uses import earlier_uses
from explorer.engine.inputs import arrays
from explorer.engine.loop_costs import stored_in_frames, tell_costs
from explorer.engine.progress import Progress
from explorer.engine.python_bodies import learning_from_python
from explorer.engine.sessions import initialise, placeholders
from explorer.engine.sources import LiveSource, backward_run, choose, filled, live_variables, losses_of
from explorer.engine.targets import Program
from explorer.engine.trips import Reports, Trips, reporting_frames
from explorer.model.case import Case
from explorer.model.graph import ControlFlow, Snapshot

v1 = tf.compat.v1


def switch_on() -> None:
    """Control flow v1 and reference variables, for the whole process."""
    v1.disable_v2_behavior()


def explore(case: Case, load: Callable[[], Program], again: Callable[[], Program], progress: Progress) -> None:
    """Build the graph, predict, differentiate, run in a session, then count the trips in a second graph."""
    graph = tf.Graph()
    with graph.as_default():
        v1.set_random_seed(case.seed)
        program = load()
        given = arrays(program.inputs, program.values, case.seed)
        progress.enter("trace")
        inputs = placeholders(program)
        losses = _losses(program, inputs, graph, case, progress)
        sources = choose(
            [*inputs, *live_variables(program, v1.trainable_variables(), [s.name for s in inputs])], case.wrt
        )
        progress.enter("predict")
        progress.captured(freeze(graph, losses, sources))
        if case.static_only or program.unmeasured:
            return
        progress.enter("backward")
        gradients = v1.gradients(losses, [s.live for s in sources if s.asked])
        with learning_from_python(progress):
            fetches = [losses, [g for g in gradients if g is not None]]
            values, found = _warned(progress, lambda: _run(fetches, inputs, given))
        progress.measured(backward_run(sources, filled(gradients, found), values, lambda value: value))
        if case.probe:
            tell_costs(stored_in_frames(graph), progress)
    if progress.snapshot is not None and progress.snapshot.loops:
        snapshot = progress.snapshot
        count = partial(_trips, case, again, given, snapshot)
        if case.probe:
            probing.in_session(case, again, given, count, progress)
        else:
            progress.count_trips(count)


def freeze(
    graph: tf.Graph, losses: Sequence[tf.Tensor], sources: Sequence[LiveSource], complete: bool = True
) -> Snapshot:
    """A Snapshot of a TF1 graph."""
    builder = SnapshotBuilder()
    tensors = {s.name: _tensor_of(s) for s in sources}
    names = {id(t): n for n, t in tensors.items()}
    ids = freeze_frames(builder, graph, losses, names)
    frozen = [s.frozen(ids.get(id(tensors[s.name]), -1)) for s in sources]
    frames = any(loop.kind == "frame" for loop in builder.loops)
    control_flow: ControlFlow = "v1" if frames else "v2" if builder.loops else "none"
    return builder.freeze(frozen, [ids[id(t)] for t in losses], control_flow, complete)


def _tensor_of(source: LiveSource) -> tf.Tensor:
    """A placeholder itself; a variable's handle, or its reference tensor."""
    if source.kind == "input":
        return source.live
    handle = getattr(source.live, "handle", None)
    return source.live._variable if handle is None else handle


def _losses(
    program: Program, inputs: Sequence[LiveSource], graph: tf.Graph, case: Case, progress: Progress
) -> list[tf.Tensor]:
    """Call the function; where it raises, what was built so far is kept."""
    try:
        return losses_of(program.fn(*(s.live for s in inputs)), case.loss)
    except Exception:
        progress.captured(freeze(graph, [], inputs, complete=False))
        raise


def _warned(progress: Progress, run: Callable[[], Any]) -> Any:
    """Run; where the session refuses a TensorArray, the line that used the index first is told."""
    try:
        return run()
    except tf.errors.OpError as error:
        if progress.snapshot is not None:
            progress.warn(tuple(earlier_uses(error, progress.snapshot)))
        raise


def _run(fetches: Any, inputs: Sequence[LiveSource], given: Sequence[np.ndarray]) -> Any:
    with v1.Session() as session:
        initialise(session)
        return session.run(fetches, {s.live: value for s, value in zip(inputs, given, strict=True)})


def _trips(case: Case, again: Callable[[], Program], given: Sequence[np.ndarray], snapshot: Snapshot) -> Trips:
    reports, sites = Reports("explorer_trips"), dict[str, int]()
    with tf.Graph().as_default() as graph:
        v1.set_random_seed(case.seed)
        program = again()
        with reporting_frames(reports, sites):
            inputs = placeholders(program)
            losses = losses_of(program.fn(*(s.live for s in inputs)), case.loss)
        names = loop_ids(graph)
        queue = reports.queue()
        size = tf.raw_ops.QueueSizeV2(handle=queue)
        one = tf.raw_ops.QueueDequeueV2(handle=queue, component_types=[tf.int64])[0]
        rows = _rows(losses, inputs, given, size, one)
    known = {loop.id for loop in snapshot.loops}
    by_site = {site: names[name] for name, site in sites.items() if names.get(name) in known}
    found: dict[str, list[int]] = {loop: [] for loop in by_site.values()}
    for site, trips in rows:
        if int(site) in by_site:
            found[by_site[int(site)]].append(int(trips))
    return {loop: tuple(runs) for loop, runs in found.items()}


def _rows(
    losses: Sequence[tf.Tensor], inputs: Sequence[LiveSource], given: Sequence[np.ndarray], size: Any, one: Any
) -> list[np.ndarray]:
    with v1.Session() as session:
        initialise(session)
        session.run(losses, {s.live: value for s, value in zip(inputs, given, strict=True)})
        return [session.run(one) for _ in range(session.run(size))]
