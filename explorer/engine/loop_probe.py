"""Watches every iteration of every While loop that is traced, forward and backward, on unchanged user code.

Two functions of TensorFlow's are replaced while a program is traced. Each loop carries one TensorList more, so that the
position in the list is the iteration, whatever ``parallel_iterations`` is; when a run of the loop ends, one record
leaves by a queue, with the iterations of the loops around it.

The gradient of a state is that of the tensor which the iteration made, whatever it was used for (carried on, and
perhaps written to a list as well), as a tape gives it. The first row of a record is no iteration's: the state before
the first one, and the gradient with respect to it. Backward rows run the other way.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf

from explorer.capture import private
from explorer.engine import probe_numbers
from explorer.engine.loop_bodies import loop_bodies
from explorer.engine.loop_costs import bytes_popped
from explorer.engine.probe_places import is_backward, iterations_around
from explorer.engine.probe_sites import STORED, Pick, Record, Site, WatchedLoop, look_at
from explorer.model.probes import Direction

WATCHED = "_explorer_watched"
_SCOPE = "explorer_probe/"
_SMALL = 1024  # elements up to which values wait on the list, to be reduced all at once after the loop
_queues = itertools.count()


class LoopProbe:
    """``with probe.watching(): ...`` while a program is traced and run; then ``records()``."""

    def __init__(
        self,
        health: bool = True,
        ops: Sequence[str] = (),
        in_place: bool = False,
        stored: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        """``ops`` names more to watch; ``in_place``: trace called tf.functions into the body that calls them.

        ``stored`` names by the loop's id the values whose bytes are to be measured.
        """
        self._health, self._ops, self._in_place = health, ops, in_place
        self._stored = stored or {}
        self._queue = f"explorer_probe_{next(_queues)}"
        self.sites: list[Site] = []
        self.loops: dict[str, WatchedLoop] = {}  # by the loop's id, known when the gradient is asked for
        self._in_pfor = 0
        self._ours = False
        self._backward: dict[int, list[tuple[Pick, tf.Tensor]]] = {}  # by id of the backward body
        self._places: dict[int, dict[Pick, int]] = {}  # a state's place among the variables of the backward loop

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """While active, loops are watched as they are built."""
        self._build, self._grad = private.while_v2._build_while_op, private.while_v2._grad_fn
        pfor, call = private.pfor._pfor_impl, private.polymorphic_function.Function.__call__
        probe = self

        def pfor_impl(*arguments: Any, **named: Any) -> Any:
            probe._in_pfor += 1  # pfor cannot convert a queue op; the loops that pfor makes itself are seen
            try:
                return pfor(*arguments, **named)
            finally:
                probe._in_pfor -= 1

        def function_call(function: Any, *arguments: Any, **named: Any) -> Any:
            if private.executing_eagerly() or function._jit_compile:
                return call(function, *arguments, **named)
            return private.traced_in_place(function, arguments, named)

        private.while_v2._build_while_op, private.while_v2._grad_fn = self._build_while_op, self._grad_fn
        private.pfor._pfor_impl = pfor_impl
        if self._in_place:
            private.polymorphic_function.Function.__call__ = function_call
        try:
            yield
        finally:
            private.while_v2._build_while_op, private.while_v2._grad_fn = self._build, self._grad
            private.pfor._pfor_impl, private.polymorphic_function.Function.__call__ = pfor, call

    @contextlib.contextmanager
    def differentiating(self) -> Iterator[None]:
        """Around the call that asks for the gradient; gradients that the program itself takes are not watched."""
        bodies = loop_bodies(tf.compat.v1.get_default_graph())
        self.loops = {loop: getattr(body, WATCHED) for loop, body in bodies.items() if hasattr(body, WATCHED)}
        self._ours = True
        try:
            yield
        finally:
            self._ours = False

    def records(self) -> Iterator[Record]:
        """What was reported; taken from the queue."""
        queue = self._handle()
        for _ in range(int(tf.raw_ops.QueueSizeV2(handle=queue))):
            head, rows = tf.raw_ops.QueueDequeueV2(handle=queue, component_types=[tf.int32, tf.float64])
            site, trips, *outer = (int(n) for n in head.numpy())
            shape = (trips + 1, max(1, len(self.sites[site].picks)), -1)
            yield Record(site, trips, tuple(outer), rows.numpy().reshape(shape) if self.sites[site].picks else rows)

    def _handle(self) -> tf.Tensor:
        """The queue, found by its name: an eager resource cannot be captured in a gradient's body."""
        return tf.raw_ops.FIFOQueueV2(
            component_types=[tf.int32, tf.float64], capacity=-1, shared_name=self._queue, name=f"{_SCOPE}queue"
        )

    def _build_while_op(
        self, loop_vars: Any, cond_graph: Any, body_graph: Any, output_shapes: Any, parallel_iterations: Any, name: Any,
        num_original_outputs: Any,
    ) -> Any:  # fmt: skip
        """As TensorFlow's, with the lists; called for forward and backward loops alike."""
        loop = self._loop_of(body_graph)
        picks = self._picks_of(loop, body_graph)
        rest = (parallel_iterations, name, num_original_outputs)
        if picks is None:
            return self._build(loop_vars, cond_graph, body_graph, output_shapes, *rest)
        backward = is_backward(body_graph)
        shapes, variables, count = list(output_shapes), list(loop_vars), len(loop_vars)
        pushed, summary = self._pushed(picks, body_graph)
        lists = [self._list(value, variables, shapes, cond_graph, body_graph) for value in pushed]
        outputs = list(self._build(variables, cond_graph, body_graph, shapes, *rest))
        with private.unheard(), tf.name_scope(_SCOPE):
            ends = self._ends(picks, body_graph, loop_vars, outputs)
            rows = self._rows(picks, ends, list(zip(outputs[count:], lists, strict=True)), summary)
            site = self._new_site(loop, backward, picks, ends, summary)
            done = self._report(site, outputs[0], rows)
            outputs = outputs[:count]
            if backward or not private.ties_by_itself(tf.compat.v1.get_default_graph()):
                with tf.control_dependencies([done]):  # a graph that runs only what is fetched would drop the report
                    outputs = [o if o.dtype == tf.resource else tf.identity(o) for o in outputs]
        return outputs

    def _loop_of(self, body: Any) -> WatchedLoop:
        """The loop that a body, or the body it is the gradient of, belongs to."""
        while is_backward(body):
            body = body._forward_graph
        if not hasattr(body, WATCHED):
            setattr(body, WATCHED, look_at(body, self._ops))
        found: WatchedLoop = getattr(body, WATCHED)
        return found

    def _picks_of(self, loop: WatchedLoop, body: Any) -> list[tuple[Pick, tf.Tensor]] | None:
        """What to watch in a body; None where nothing can be reported from it."""
        if is_backward(body):
            return self._backward.pop(id(body), None) or None
        if self._in_pfor:
            loop.why_not = "vectorized_map turns this loop into operations on whole batches: no iteration of it runs."
        elif private.under_xla(tf.compat.v1.get_default_graph()):
            loop.why_not = "XLA compiles this loop, and nothing can be reported from inside."
        return None if loop.why_not else loop.picks

    def _pushed(self, picks: Sequence[tuple[Pick, tf.Tensor]], body: Any) -> tuple[list[tf.Tensor], bool]:
        """What each iteration puts on a list: the small values themselves, or the numbers of all values in one row."""
        tensors = [tensor for _, tensor in picks]
        if probe_numbers.are_small(tensors, _SMALL):
            return tensors, False
        with body.as_default(), private.unheard(), tf.name_scope(_SCOPE):
            return [tf.concat([probe_numbers.of_value(t, self._health) for t in tensors], 0)], True

    def _list(self, value: tf.Tensor, variables: list[Any], shapes: list[Any], cond: Any, body: Any) -> tf.Tensor:
        """Let the loop carry one list more, and the body put the value on it; returns the value."""
        with private.unheard():
            with private.without_control_inputs(), tf.name_scope(_SCOPE):
                first = private.empty_list(
                    element_dtype=value.dtype, element_shape=value.shape, max_num_elements=variables[1], name="list"
                )
            with cond.as_default():
                cond.capture(first)
            with body.as_default(), tf.name_scope(_SCOPE):
                body.outputs.append(private.push_back(body.capture(first), value))
        variables.append(first)
        shapes.append(tf.TensorShape([]))
        return value

    def _ends(
        self, picks: Sequence[tuple[Pick, tf.Tensor]], body: Any, loop_vars: Sequence[Any], outputs: Sequence[Any]
    ) -> dict[Pick, tf.Tensor]:
        """The values that no iteration makes: the first state, and the gradient with respect to it.

        For a state that is passed on, the gradient that comes in: with respect to the last state.
        """
        if not is_backward(body):
            return {pick: loop_vars[pick.slot] for pick, _ in picks if pick.kind in ("state", "passed")}
        places = self._places.pop(id(body), {})
        return {
            pick: loop_vars[place] if pick.kind == "passed" else outputs[place]
            for pick, place in places.items()
            if any(pick == each for each, _ in picks)
        }

    def _rows(
        self,
        picks: Sequence[tuple[Pick, tf.Tensor]],
        ends: dict[Pick, tf.Tensor],
        lists: Sequence[tuple[tf.Tensor, tf.Tensor]],
        summary: bool,
    ) -> tf.Tensor:
        """The numbers of one run, float64 [trips + 1, picks x columns]."""
        if not picks:
            return tf.zeros([0, 0], tf.float64)
        numbers = probe_numbers.of_value if summary else lambda t, health: probe_numbers.of_values(t[None], health)[0]
        none = tf.zeros([probe_numbers.column_count(self._health, summary)], tf.float64)
        first = tf.concat([numbers(ends[pick], self._health) if pick in ends else none for pick, _ in picks], 0)
        stacked = [private.stack_list(found, element_dtype=v.dtype, element_shape=v.shape) for found, v in lists]
        if not summary:
            stacked = [tf.concat([probe_numbers.of_values(each, self._health) for each in stacked], 1)]
        return tf.concat([first[None], stacked[0]], 0)

    def _new_site(
        self,
        loop: WatchedLoop,
        backward: bool,
        picks: Sequence[tuple[Pick, tf.Tensor]],
        ends: dict[Pick, tf.Tensor],
        summary: bool,
    ) -> Site:
        _, hidden = iterations_around(tf.compat.v1.get_default_graph())
        direction: Direction = "backward" if backward else "forward"
        watched = [pick for pick, _ in picks]
        site = Site(len(self.sites), loop, direction, watched, frozenset(ends), summary, hidden)
        self.sites.append(site)
        if backward:
            loop.backward.append(site)
        else:
            loop.forward = site
        return site

    def _report(self, site: Site, trips: tf.Tensor, rows: tf.Tensor) -> tf.Operation:
        around, _ = iterations_around(tf.compat.v1.get_default_graph())
        head = tf.stack([tf.constant(site.number), tf.cast(trips, tf.int32), *around])
        with tf.device("/CPU:0"):
            return tf.raw_ops.QueueEnqueueV2(handle=self._handle(), components=[head, rows])

    def _grad_fn(self, ys: Any, xs: Any, args: Any, func_graph: Any) -> Any:
        """As TensorFlow's, which also asks for the gradient at what is watched, and tells None from zero."""
        loop: WatchedLoop | None = getattr(func_graph, WATCHED, None)
        if loop is None or not self._ours or is_backward(func_graph):
            return self._grad(ys, xs, args, func_graph)
        made = loop.made
        found = private.gradients_or_none(ys, [*xs, *(tensor for _, tensor in made)], args[3:], func_graph)
        answers = [private.zeros_for(x) if g is None else g for x, g in zip(xs, found, strict=False)]
        slots = {id(tensor): k for k, tensor in enumerate(func_graph.inputs)}
        states = {pick.slot: pick for pick, _ in loop.picks if pick.kind in ("state", "passed")}
        here = id(tf.compat.v1.get_default_graph())
        picks = [(pick, _dense(g)) for (pick, _), g in zip(made, found[len(xs) :], strict=True) if g is not None]
        places = self._places.setdefault(here, {})
        for position, (x, raw, answer) in enumerate(zip(xs, found, answers, strict=False)):
            pick = states.get(slots.get(id(x), -1))
            if pick is not None:
                places[pick] = 3 + position
                loop.cut |= {pick} if raw is None else set()
                picks += [(pick, _dense(answer))] if pick.kind == "passed" else []
        self._backward[here] = picks + self._sizes(loop)
        return [args[0] + 1, args[1], args[2], *answers]

    def _sizes(self, loop: WatchedLoop) -> list[tuple[Pick, tf.Tensor]]:
        """The bytes that the backward body being built takes, where they are asked for."""
        names = next((self._stored.get(name) for name, known in self.loops.items() if known is loop), None)
        with private.unheard(), tf.name_scope(_SCOPE):
            size = bytes_popped(tf.compat.v1.get_default_graph(), names) if names else None
        return [] if size is None else [(STORED, size)]


def _dense(gradient: Any) -> tf.Tensor:
    """The gradient as one tensor; duplicates of an IndexedSlices added up."""
    with private.unheard():
        return tf.convert_to_tensor(gradient)
