"""Measured trip counts, from a second run of the forward pass in which every loop reports how often it ran.

The verdict never comes from this run: each While op's first output (TensorFlow's own loop counter) is put on a queue,
which makes the outer loop stateful. Iterations run one after the other (``parallel_iterations=1``), so the order of
the queue is the order of the runs.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.capture import private
from explorer.engine.inputs import constants, signature
from explorer.engine.loop_bodies import loop_bodies
from explorer.engine.sources import losses_of
from explorer.engine.targets import Program
from explorer.model.graph import Snapshot

Trips = dict[str, tuple[int, ...]]
_SITE = "_explorer_site"


class Reports:
    """A queue of ``[site, trips]`` rows, found by its shared name: an eager resource cannot be captured in a body."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.sites = 0

    def queue(self) -> tf.Tensor:
        """The queue's handle, in whatever graph is being built."""
        return tf.raw_ops.FIFOQueueV2(component_types=[tf.int64], capacity=-1, shared_name=self._name)

    def report(self, site: int, trips: tf.Tensor) -> tf.Operation:
        """An op that puts one row on the queue."""
        row = tf.stack([tf.constant(site, tf.int64), tf.cast(trips, tf.int64)])
        with tf.device("/CPU:0"):
            return tf.raw_ops.QueueEnqueueV2(handle=self.queue(), components=[row])

    def new_site(self) -> int:
        """The number of one more place that reports."""
        self.sites += 1
        return self.sites - 1


def in_graph(
    program: Program,
    arrays: Sequence[np.ndarray],
    snapshot: Snapshot,
    again: Callable[[], Program],
) -> Trips:
    """Trips of every loop of ``snapshot``, one number per run in order.

    Functions that were traced before are not traced again by TensorFlow; where a loop does not report, ``again`` makes
    the program anew.
    """
    sites, rows = _run(program, arrays, "explorer_trips")
    if any(loop.id not in sites for loop in snapshot.loops):
        sites, rows = _run(again(), arrays, "explorer_trips_again")
    runs: dict[int, list[int]] = defaultdict(list)
    for site, trips in rows:
        runs[site].append(trips)
    shared = {site for site in sites.values() if list(sites.values()).count(site) > 1}
    known = {loop.id for loop in snapshot.loops}
    return {loop: tuple(runs[site]) for loop, site in sites.items() if loop in known and site not in shared}


def _run(program: Program, arrays: Sequence[np.ndarray], name: str) -> tuple[dict[str, int], list[tuple[int, int]]]:
    """``{loop id: site}`` and all rows reported."""
    reports = Reports(name)
    fn = private.autograph_convert(program.fn)
    sites: dict[str, int] = {}

    def forward(*xs: tf.Tensor) -> Any:
        losses = losses_of(fn(*xs), None)
        sites.update(_sites(tf.compat.v1.get_default_graph()))
        return losses

    given = constants(program.inputs, arrays)
    with _reporting(reports):
        tf.function(forward, input_signature=signature(program.inputs), autograph=False)(*given)
    queue = reports.queue()
    waiting = int(tf.raw_ops.QueueSizeV2(handle=queue))
    taken = [tf.raw_ops.QueueDequeueV2(handle=queue, component_types=[tf.int64])[0].numpy() for _ in range(waiting)]
    return sites, [(int(row[0]), int(row[1])) for row in taken]


def _sites(graph: tf.Graph) -> dict[str, int]:
    """Which site reports for which loop."""
    return {loop: getattr(body, _SITE) for loop, body in loop_bodies(graph).items() if hasattr(body, _SITE)}


@contextlib.contextmanager
def _reporting(reports: Reports) -> Iterator[None]:
    """While active, every While op that is built reports its trips."""
    build, impl = private.while_v2._build_while_op, private.pfor._pfor_impl
    in_pfor = [0]

    def build_while_op(
        loop_vars: Any, cond_graph: Any, body_graph: Any, output_shapes: Any, parallel_iterations: Any, name: Any,
        num_original_outputs: Any,
    ) -> Any:  # fmt: skip
        if in_pfor[0]:
            # pfor cannot convert a queue op; the loops that pfor makes itself are seen
            parts = (output_shapes, parallel_iterations, name, num_original_outputs)
            return build(loop_vars, cond_graph, body_graph, *parts)
        site = reports.new_site()
        setattr(body_graph, _SITE, site)
        outputs = build(loop_vars, cond_graph, body_graph, output_shapes, 1, name, num_original_outputs)
        done = reports.report(site, outputs[0])
        with tf.control_dependencies([done]):  # plain graphs would prune the report
            return [o if o.dtype == tf.resource else tf.identity(o) for o in outputs]

    def pfor_impl(*arguments: Any, **named: Any) -> Any:
        in_pfor[0] += 1
        try:
            return impl(*arguments, **named)
        finally:
            in_pfor[0] -= 1

    private.while_v2._build_while_op, private.pfor._pfor_impl = build_while_op, pfor_impl
    try:
        yield
    finally:
        private.while_v2._build_while_op, private.pfor._pfor_impl = build, impl


@contextlib.contextmanager
def reporting_frames(reports: Reports, sites: dict[str, int]) -> Iterator[None]:
    """While active, every TF1 loop carries a counter of its own and reports it; ``sites`` maps context names."""
    build = private.WhileContext.BuildLoop

    def build_loop(context: Any, pred: Any, body: Any, loop_vars: Any, invariants: Any, same_structure: bool) -> Any:
        many = isinstance(loop_vars, (list, tuple))
        variables = list(loop_vars) if many else [loop_vars]

        def counted(count: tf.Tensor, *values: Any) -> list[Any]:
            result = body(*values)
            return [count + 1, *(result if isinstance(result, (list, tuple)) and many else [result])]

        if invariants is not None:
            invariants = [tf.TensorShape([]), *(invariants if many else [invariants])]
        context._parallel_iterations = 1
        start = [tf.constant(0), *variables]
        trips, *outputs = build(context, lambda _, *v: pred(*v), counted, start, invariants, True)
        site = sites[str(context.name)] = reports.new_site()
        with tf.control_dependencies([reports.report(site, trips)]):
            outputs = tf.nest.map_structure(kept, outputs)
        if not many:
            return outputs[0]
        return type(loop_vars)(outputs) if same_structure or len(outputs) > 1 else outputs[0]

    private.WhileContext.BuildLoop = build_loop
    try:
        yield
    finally:
        private.WhileContext.BuildLoop = build


def kept(value: Any) -> Any:
    """The value, tied to the report whose control dependency is active."""
    if isinstance(value, tf.TensorArray):
        return value.identity()
    return tf.identity(value) if not value.dtype._is_ref_dtype else value
