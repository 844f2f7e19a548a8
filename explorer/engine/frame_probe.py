"""Watches every iteration of TF1 loops (frames of Enter and Exit in a flat graph), forward and backward.

Every iteration puts its numbers on a queue, with the iterations around it. Counters of the loops around are carried
through a loop as variables of its own: as loop invariants they break the nested gradient ("Mismatched parent frames",
TensorFlow 2.21). The backward pass is met where TensorFlow asks the op that made a state for its gradient: what comes
in there is the whole gradient with respect to that state.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.capture import private
from explorer.capture.frames import loop_ids
from explorer.engine import probe_numbers
from explorer.engine.probe_sites import Pick, Record, Site, WatchedLoop
from explorer.engine.trips import kept
from explorer.model.probes import Direction
from explorer.rules.ops import FRAME_OPS

_SCOPE = "explorer_probe/"
_DEPTH = 6  # loops around a loop that a row has room for
_HEAD = 4 + _DEPTH  # [loop, what, slot, iteration, iterations around it ...]
_FORWARD, _BACKWARD, _TRIPS = range(3)
_START = -1  # the iteration of what no iteration makes


class FrameProbe:
    """``with probe.watching(): ...`` while a TF1 graph is built; run it; ``records`` from the rows of ``queue()``."""

    def __init__(self) -> None:
        self.loops: dict[str, WatchedLoop] = {}  # by the name of the loop's context
        self.ids: dict[str, str] = {}  # the loop's id by that name, known when the gradient is asked for
        self.sites: list[Site] = []
        self._around: list[tf.Tensor] = []
        self._ours = False

    def queue(self) -> tf.Tensor:
        """The queue of rows, in the current graph."""
        columns = probe_numbers.column_count(health=True, summary=True)
        return tf.raw_ops.FIFOQueueV2(
            component_types=[tf.int32, tf.float64], shapes=[[_HEAD], [columns]], capacity=-1,
            shared_name="explorer_probe", name=f"{_SCOPE}queue",
        )  # fmt: skip

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """While active, loops are watched as they are built."""
        build, probe = private.WhileContext.BuildLoop, self

        def build_loop(context: Any, pred: Any, body: Any, loop_vars: Any, invariants: Any, same: bool) -> Any:
            return probe._build(build, context, pred, body, loop_vars, invariants, same)

        private.WhileContext.BuildLoop = build_loop
        try:
            yield
        finally:
            private.WhileContext.BuildLoop = build

    @contextlib.contextmanager
    def differentiating(self) -> Iterator[None]:
        """Around the call that asks for the gradient; gradients that the program itself takes are not watched."""
        self.ids = loop_ids(tf.compat.v1.get_default_graph())
        self._ours = True
        try:
            yield
        finally:
            self._ours = False

    def records(self, heads: np.ndarray, rows: np.ndarray) -> Iterator[Record]:
        """One record per run of a loop and direction; ``heads`` and ``rows`` as they came from the queue."""
        trips: dict[tuple[int, tuple[int, ...]], int] = {}
        found: dict[tuple[int, int, tuple[int, ...]], dict[tuple[int, int], np.ndarray]] = defaultdict(dict)
        for head, row in zip(heads.tolist(), rows, strict=True):
            number, what, slot, iteration, *padded = head
            outer = tuple(n for n in padded if n >= 0)
            if what == _TRIPS:
                trips[number, outer] = iteration
            else:
                found[number, what, outer][slot, iteration] = row
        for number, loop in enumerate(self.loops.values()):
            seen = {_FORWARD: set[tuple[int, bool]](), _BACKWARD: set[tuple[int, bool]]()}
            for (n, what, _), run in found.items():
                if n == number:
                    seen[what] |= {(slot, iteration == _START) for slot, iteration in run}
            self._add_sites(loop, seen[_FORWARD], seen[_BACKWARD])
        for (number, outer), count in trips.items():
            loop = list(self.loops.values())[number]
            for site in (loop.forward, *loop.backward):
                if site is not None:
                    what = _FORWARD if site.direction == "forward" else _BACKWARD
                    yield Record(site.number, count, outer, _rows(site, count, found[number, what, outer]))

    def _add_sites(self, loop: WatchedLoop, forward: set[tuple[int, bool]], backward: set[tuple[int, bool]]) -> None:
        """What was reported: ``(slot, whether it is the start)``. The gradient of a constant start is not asked for."""
        loop.forward = self._site(loop, "forward", forward)
        back = self._site(loop, "backward", backward)
        loop.backward = [back] if back.picks else []

    def _site(self, loop: WatchedLoop, direction: Direction, seen: set[tuple[int, bool]]) -> Site:
        picks = [p for p, _ in loop.picks if direction == "forward" or {(p.slot, False), (p.slot, True)} & seen]
        ends = frozenset(pick for pick in picks if (pick.slot, True) in seen)
        self.sites.append(Site(len(self.sites), loop, direction, picks, ends, summary=True, hidden=False))
        return self.sites[-1]

    def _build(
        self, build: Any, context: Any, pred: Any, body: Any, loop_vars: Any, invariants: Any, same: bool
    ) -> Any:
        many = isinstance(loop_vars, (list, tuple))
        variables, around = list(loop_vars) if many else [loop_vars], self._around
        loop, number = WatchedLoop(context), len(self.loops)
        self.loops[str(context.name)] = loop
        extra = 1 + len(around)
        started = _mapped(variables, lambda k, v: self._started(number, k, v, around))

        def watched(count: tf.Tensor, *values: Any) -> list[Any]:
            up, own = list(values[: len(around)]), values[len(around) :]
            self._around = [*up, count]
            try:
                result = body(*own)
            finally:
                self._around = around
            given = list(result) if isinstance(result, (list, tuple)) and many else [result]
            before = private.nest.flatten(list(own), expand_composites=True)
            given = _mapped(given, lambda k, v: self._ended(loop, number, k, v, before[k], [count, *up]))
            return [count + 1, *up, *given]

        if invariants is not None:
            invariants = [*[tf.TensorShape([])] * extra, *(invariants if many else [invariants])]
        start = [tf.constant(0), *around, *started]
        ended = build(context, lambda *v: pred(*v[extra:]), watched, start, invariants, True)
        outputs = list(ended[extra:])
        none = tf.zeros([probe_numbers.column_count(health=True, summary=True)], tf.float64)
        done = [self._row(number, _TRIPS, 0, ended[0], around, none)]
        flat = private.nest.flatten(started, expand_composites=True)
        for pick, _ in loop.picks:
            done.append(self._report(number, _FORWARD, pick.slot, tf.constant(_START), around, flat[pick.slot]))
        with tf.control_dependencies(done):
            outputs = tf.nest.map_structure(kept, outputs)
        if not many:
            return outputs[0]
        return type(loop_vars)(outputs) if same or len(outputs) > 1 else outputs[0]

    def _started(self, number: int, slot: int, value: Any, around: Sequence[tf.Tensor]) -> Any:
        """A state before the first iteration, whose gradient is watched."""
        if not _is_state(value):
            return value
        first = tf.identity(value)
        self._on_gradient(first, number, slot, [tf.constant(_START), *around])
        return first

    def _ended(
        self, loop: WatchedLoop, number: int, slot: int, value: Any, before: Any, counts: Sequence[tf.Tensor]
    ) -> Any:
        """A state after an iteration: its numbers are reported, its gradient is watched where it was made."""
        if not _is_state(value) or not _is_state(before) or value is before:
            return value
        made = _maker(value)
        if made is None:  # handed on from another variable: watched as what this one is from now on
            value = made = tf.identity(value)
        loop.picks.append((Pick("state", slot), value))
        self._on_gradient(made, number, slot, counts)
        with tf.control_dependencies([self._report(number, _FORWARD, slot, counts[0], counts[1:], value)]):
            return tf.identity(value)

    def _on_gradient(self, made: tf.Tensor, number: int, slot: int, counts: Sequence[tf.Tensor]) -> None:
        """Report what comes in when the op that made a tensor is asked for its gradient."""
        op, position = made.op, made.value_index
        rule = private.own_gradient(op)
        if rule is None:
            return

        def watched(op: tf.Operation, *gradients: Any) -> Any:
            came = gradients[position]
            if self._ours and came is not None:
                dense = tf.convert_to_tensor(came)
                done = self._report(number, _BACKWARD, slot, counts[0], counts[1:], dense)
                with tf.control_dependencies([done]):  # in its own scope: TensorArray's rules read the gradient's name
                    passed = tf.identity(dense)
                gradients = (*gradients[:position], passed, *gradients[position + 1 :])
            return rule(op, *gradients)

        private.set_gradient(op, watched)

    def _report(
        self, number: int, what: int, slot: int, iteration: tf.Tensor, around: Sequence[tf.Tensor], value: tf.Tensor
    ) -> tf.Operation:
        with tf.name_scope(_SCOPE):
            return self._row(number, what, slot, iteration, around, probe_numbers.of_value(value, health=True))

    def _row(
        self, number: int, what: int, slot: int, iteration: tf.Tensor, around: Sequence[tf.Tensor], numbers: tf.Tensor
    ) -> tf.Operation:
        with tf.name_scope(_SCOPE), tf.device("/CPU:0"):
            free = [-1] * (_DEPTH - len(around))
            head = tf.stack([number, what, slot, iteration, *around, *free])
            return tf.raw_ops.QueueEnqueueV2(handle=self.queue(), components=[head, numbers])


def _rows(site: Site, trips: int, found: dict[tuple[int, int], np.ndarray]) -> np.ndarray:
    """[trips + 1, picks, columns]: first what no iteration makes, then the iterations, backward from the last."""
    order = range(trips) if site.direction == "forward" else range(trips - 1, -1, -1)
    missing = np.zeros([probe_numbers.column_count(health=True, summary=True)])  # only a start may be missing
    return np.array([[found.get((p.slot, n), missing) for p in site.picks] for n in (_START, *order)])


def _mapped(values: list[Any], change: Any) -> list[Any]:
    flat = private.nest.flatten(values, expand_composites=True)
    changed = [change(k, value) for k, value in enumerate(flat)]
    packed: list[Any] = private.nest.pack_sequence_as(values, changed, expand_composites=True)
    return packed


def _is_state(value: Any) -> bool:
    return isinstance(value, tf.Tensor) and not value.dtype._is_ref_dtype and probe_numbers.is_counted(value)


def _maker(value: tf.Tensor) -> tf.Tensor | None:
    """The tensor behind the identities, in the same frame; None where it is a loop variable."""
    context = private.control_flow_context(value.op)
    while value.op.type == "Identity" and private.control_flow_context(value.op.inputs[0].op) is context:
        value = value.op.inputs[0]
    return None if value.op.type in FRAME_OPS or private.own_gradient(value.op) is None else value
