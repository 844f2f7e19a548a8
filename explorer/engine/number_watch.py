"""While active, every op that is built or run reports what NaN or Inf it made, and from which inputs.

Never in the run that gives the verdict. In a graph a reporting op is put behind every op: a row goes on a queue only
where the output is not finite, so a healthy iteration costs a summary of its tensors and no row. The reporter's
output stands in for the op's own, because gradient bodies and TF1 graphs have no automatic control dependencies and
would prune a report nobody needs. In eager mode the numbers are looked at directly.

``tf.debugging.enable_check_numerics`` is not used: it stops at the first NaN or Inf it meets, also at one that a
mask takes out again, and tells neither the iteration nor the forward op of a backward one.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.capture import private
from explorer.capture.layers import layer_here
from explorer.capture.running_frames import user_frames_of
from explorer.engine.number_sites import GUARDS, UNWATCHED, Report, Site, health_of
from explorer.rules.numbers import Health

QUEUE = "explorer_numbers"
INPUTS = 3  # an op's first inputs, whose numbers are reported
# Modes of DebugNumericSummaryV2. The short one gives [id, whether bad]; the full one 11 numbers, from the fifth on:
# size, -inf, inf, nan, negative, zero, positive.
_CURT_HEALTH, _FULL_HEALTH, _FULL = 2, 4, 11
_WIDTH = 2 + (INPUTS + 1) * _FULL


@dataclass
class NumberWatch:
    """What was built and what was reported, in the order of time."""

    sites: list[Site] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    producers: dict[int, int] = field(default_factory=dict)
    _consumers: dict[tuple[str, int], int] = field(default_factory=dict)
    _differentiated: list[tuple[str, Sequence[Any], Sequence[Any]]] = field(default_factory=list)
    _seen: dict[tuple[str, Any], int] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)
    _off: int = 0
    _in_backward: int = 0

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Listen to everything built or run on this thread."""
        gradient, maybe_compile, pfor = (
            private.backprop._gradient_function,
            private.gradients_util._MaybeCompile,
            private.pfor._pfor_impl,
        )

        def of_tape(*arguments: Any) -> Any:
            with self._differentiating(str(arguments[0]), arguments[3], arguments[4]):
                return gradient(*arguments)

        def of_graph(scope: str, op: Any, func: Any, grad_fn: Callable[[], Any]) -> Any:
            with self._differentiating(op.type, op.inputs, op.outputs):
                return maybe_compile(scope, op, func, grad_fn)

        def unwatched(*arguments: Any, **named: Any) -> Any:
            self._off += 1  # pfor cannot convert a queue
            try:
                return pfor(*arguments, **named)
            finally:
                self._off -= 1

        private.pywrap_tfe.TFE_Py_RegisterGradientFunction(of_tape)
        private.gradients_util._MaybeCompile, private.pfor._pfor_impl = of_graph, unwatched
        private.op_callbacks.add_op_callback(self._callback)
        try:
            yield
        finally:
            private.op_callbacks.remove_op_callback(self._callback)
            private.gradients_util._MaybeCompile, private.pfor._pfor_impl = maybe_compile, pfor
            private.pywrap_tfe.TFE_Py_RegisterGradientFunction(gradient)

    @contextlib.contextmanager
    def backward(self) -> Iterator[None]:
        """What is built or run in here belongs to the backward pass."""
        self._in_backward += 1
        try:
            yield
        finally:
            self._in_backward -= 1

    def key(self, tensor: Any) -> int:
        """A number for a tensor that no other tensor of this run has."""
        if isinstance(tensor, private.EagerTensor):
            return -int(tensor._id) - 1
        return id(tensor)

    def queue(self) -> tf.Tensor:
        """The queue of rows, found by its shared name."""
        return tf.raw_ops.FIFOQueueV2(
            component_types=[tf.float64],
            shapes=[[_WIDTH]],
            capacity=-1,
            shared_name=QUEUE,
            name="explorer_numbers/queue",
        )

    def drain(self) -> None:
        """Take over what graphs called from eager code have put on the queue."""
        with tf.init_scope(), self.paused():
            size = int(tf.raw_ops.QueueSizeV2(handle=self.queue()))
            if size:
                self.take(tf.raw_ops.QueueDequeueManyV2(handle=self.queue(), n=size, component_types=[tf.float64])[0])

    def take(self, rows: Any) -> None:
        """Rows of the queue as reports."""
        for row in np.asarray(rows):
            number = int(row[0])
            places = self.sites[number].reported
            parts = [_health(row[2 + k * _FULL : 2 + (k + 1) * _FULL]) for k in range(len(places) + 1)]
            given = dict(zip(places, parts, strict=False))
            inputs = tuple(given.get(k, Health()) for k in range(max(places, default=-1) + 1))
            self.reports.append(Report(number, int(row[1]), inputs, parts[-1]))

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Not listening."""
        self._off += 1
        try:
            yield
        finally:
            self._off -= 1

    @contextlib.contextmanager
    def _differentiating(self, op_type: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> Iterator[None]:
        self._differentiated.append((op_type, inputs or (), outputs or ()))  # None where the rule needs none
        try:
            yield
        finally:
            self._differentiated.pop()

    def _callback(
        self, op_type: Any, inputs: Any, attributes: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> Any:
        if self._off or not outputs:
            return None
        kind = op_type.decode() if isinstance(op_type, bytes) else str(op_type)
        site = self._site(kind, inputs, outputs, graph)
        if graph is None:
            self._look(site, inputs, outputs)
            return None
        if kind in UNWATCHED or not any(_checkable(t) for t in outputs):
            return None
        return self._reporting(site, inputs, outputs, graph)

    def _site(self, kind: str, inputs: Sequence[Any], outputs: Sequence[Any], graph: Any) -> Site:
        op = outputs[0].op if graph is not None else None
        forward = self._forward()
        dtype = next((t.dtype.base_dtype.name for t in outputs if t.dtype.is_floating), "")
        site = Site(
            number=len(self.sites),
            type=kind,
            name=op.name if op is not None else kind,
            dtype=dtype,
            inputs=tuple(self.key(t) for t in inputs),
            outputs=[self.key(t) for t in outputs],
            backward=bool(self._differentiated or self._in_backward),
            op=op,
            forward=forward,
            opens=any(map(_is_handle, inputs)),
            makes_handle=any(map(_is_handle, outputs)),
        )
        if graph is None:
            site.frames, site.ran_in = user_frames_of(sys._getframe(3)), layer_here(sys._getframe(3))
            if kind in GUARDS:
                site.scalars = {k: float(t.numpy().flat[0]) for k, t in enumerate(inputs) if self._plain_number(t)}
            line = (kind, site.frames[:1])
            site.runs = self._seen[line] = self._seen.get(line, -1) + 1
        self.sites.append(site)
        self.producers.update((key, site.number) for key in site.outputs)
        if not site.backward:
            self._consumers.update(((kind, key), site.number) for key in site.inputs)
        return site

    def _plain_number(self, tensor: Any) -> bool:
        """A single number that no op made."""
        return _checkable(tensor) and tensor.shape.num_elements() == 1 and self.key(tensor) not in self.producers

    def _forward(self) -> int | None:
        """The site of the op whose gradient is being made; its rule keeps only the tensors it needs."""
        if not self._differentiated:
            return None
        kind, inputs, outputs = self._differentiated[-1]
        made = [self.producers.get(self.key(t)) for t in outputs if t is not None]
        used = [self._consumers.get((kind, self.key(t))) for t in inputs if t is not None]
        return next((n for n in (*made, *used) if n is not None and self.sites[n].type == kind), None)

    def _look(self, site: Site, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        healths = [health_of(t.numpy()) for t in outputs if _checkable(t)]
        if any(h.bad for h in healths):
            total = next(h for h in healths if h.bad)
            given = [health_of(t.numpy()) if _checkable(t) else Health() for t in inputs[:INPUTS]]
            self.reports.append(Report(site.number, site.runs, tuple(given), total))

    def _reporting(self, site: Site, inputs: Sequence[Any], outputs: Sequence[Any], graph: Any) -> list[Any]:
        """Few ops, and hardly a constant among them: they are built behind every op of the program."""
        raw = tf.raw_ops
        checked = [t for t in outputs if _checkable(t)]
        given = [t for t in inputs[:INPUTS] if _checkable(t)]
        site.reported = tuple(k for k, t in enumerate(inputs[:INPUTS]) if _checkable(t))
        with tf.name_scope("explorer_numbers/"), tf.device("/CPU:0"):
            bad = _largest(
                [raw.DebugNumericSummaryV2(input=t, tensor_id=0, tensor_debug_mode=_CURT_HEALTH) for t in checked]
            )
            healths = [_full(t) for t in (*given, checked[0])]
            free = tf.zeros([_WIDTH - 2 - _FULL * len(healths)], tf.float64)
            where = [tf.constant([float(site.number)], tf.float64), _iteration(graph)]
            row = tf.concat([*where, *healths, free], 0)
            # [0, 1 where bad]: the first copy of the row is dropped, the second is kept where the flag is set
            parts = raw.DynamicPartition(data=tf.stack([row, row]), partitions=tf.cast(bad, tf.int32), num_partitions=2)
            report = raw.QueueEnqueueManyV2(handle=self.queue(), components=[parts[1]])
        # in the scope of the op itself: the rules of TF1's TensorArrays read `gradients` in a gradient's name
        with tf.control_dependencies([report]):
            replaced = [tf.identity(t, name="explorer_watched") if _checkable(t) else t for t in outputs]
        self._kept.append((replaced, outputs))  # ids are keys: the tensors must outlive the run
        for old, new in zip(outputs, replaced, strict=True):
            if new is not old:
                self.producers[self.key(new)] = site.number
                site.outputs.append(self.key(new))
        return replaced


def _health(row: np.ndarray) -> Health:
    return Health(*(int(n) for n in row[4:_FULL]))


def _full(tensor: Any) -> tf.Tensor:
    return tf.raw_ops.DebugNumericSummaryV2(input=tensor, tensor_debug_mode=_FULL_HEALTH, output_dtype=tf.float64)


def _largest(flags: Sequence[tf.Tensor]) -> tf.Tensor:
    return functools.reduce(tf.maximum, flags)


def _is_handle(tensor: Any) -> bool:
    return tensor.dtype.base_dtype in (tf.variant, tf.resource)


def _checkable(tensor: Any) -> bool:
    return bool(tensor.dtype.is_floating) and not getattr(tensor.dtype, "_is_ref_dtype", False)


def _iteration(graph: Any) -> tf.Tensor:
    """The iteration of the loop whose body is being built; a backward loop counts from the end."""
    kind = type(graph).__name__
    if kind == "WhileBodyFuncGraph":
        return tf.reshape(tf.cast(graph.inputs[0], tf.float64), [1])
    if kind == "_WhileBodyGradFuncGraph":
        return tf.reshape(tf.cast(graph.inputs[2] - 1 - graph.inputs[0], tf.float64), [1])
    return tf.constant([-1.0], tf.float64)
