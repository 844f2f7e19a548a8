"""The way of a bad number through what a NumberWatch saw, nested function bodies included."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.capture import private
from explorer.capture.freeze import branch_graphs, nested_graph
from explorer.engine.number_sites import UNWATCHED, Report, Site
from explorer.engine.number_watch import NumberWatch
from explorer.rules.ops import BRANCHING, CALL, WHILE

_DECIDES = frozenset({"Select", "SelectV2"})
# An output without the bad value although one went in: what they leave out still gets 0 * inf in the backward pass.
_MASKS = _DECIDES | frozenset({"Minimum", "Maximum", "ClipByValue", "MulNoNan", "GatherV2", "Gather", "StridedSlice",
                               "Slice", "DynamicPartition"})  # fmt: skip
_FAR = 8  # ops between a mask's gradient and the op that divides it by zero


class NumberPaths:
    """Sites and the tensors between them. A tensor is a key (NumberWatch.key)."""

    def __init__(self, watch: NumberWatch) -> None:
        """Look at everything the watch saw; the run must be over."""
        self.watch = watch
        self.first: dict[int, Report] = {}
        for report in watch.reports:
            self.first.setdefault(report.site, report)
        self.order = {site: place for place, site in enumerate(self.first)}
        self._links: dict[int, list[int]] = defaultdict(list)
        for site in watch.sites:
            if site.op is not None:  # a TF1 Merge, or a While that was differentiated, got inputs after it was built
                site.inputs = tuple(watch.key(t) for t in site.op.inputs)
        for site in watch.sites:
            self._enter(site)
        self._tie_stacks()
        self._readers: dict[int, list[int]] = defaultdict(list)
        self._followers: dict[int, list[int]] = defaultdict(list)
        for site in watch.sites:
            for key in site.inputs:
                self._readers[key].append(site.number)
        for key, before in self._links.items():
            for each in before:
                self._followers[each].append(key)

    def births(self, keys: Iterable[int]) -> list[Report]:
        """Where bad numbers came out though none went in, on a way to these tensors; in the order of time."""
        found = [self.first[site.number] for site in self._upwards(keys) if self._is_birth(site)]
        return sorted(found, key=lambda report: self.order[report.site])

    def constants(self, keys: Iterable[int]) -> list[Site]:
        """Constants that are not finite, on a way to these tensors."""
        return [site for site in self._upwards(keys) if site.type == "Const" and _bad_constant(site)]

    def masked(self, site: Site) -> bool:
        """Whether a mask takes the bad value out of the forward pass, or already took the gradient out."""
        if not site.backward:
            return self._falls_into_mask(site)
        after = [n for key in site.outputs for n in self._readers.get(key, ()) if n in self.first]
        return any(self._gradient_of_mask(self.watch.sites[n]) for n in (site.number, *after))

    def forward_of(self, report: Report) -> Report:
        """The report of the forward op where that was bad before its gradient was."""
        forward = self.watch.sites[report.site].forward
        if forward is None or forward not in self.first or not self._is_birth(self.watch.sites[forward]):
            return report
        return self.first[forward]

    def maker(self, key: int) -> Site | None:
        """The op that made a tensor; None for what enters a body."""
        number = self.watch.producers.get(key)
        site = None if number is None else self.watch.sites[number]
        return None if site is None or (site.type == "Placeholder" and self._links.get(key)) else site

    def entering(self, key: int) -> tuple[int, ...]:
        """The tensors outside that are this one inside a body."""
        return tuple(self._links.get(key, ()))

    def upstream(self, site: Site, steps: int = 3) -> tuple[str, ...]:
        """The types of the ops that lead to this one by its first input, nearest first."""
        types: list[str] = []
        while len(types) < steps and site.inputs:
            number = self.watch.producers.get(site.inputs[0])
            if number is None:
                break
            site = self.watch.sites[number]
            if site.type not in UNWATCHED:
                types.append(site.type)
        return tuple(types)

    def _is_birth(self, site: Site) -> bool:
        """Bad outputs from good inputs, the inputs beyond those reported judged by what made them."""
        report = self.first.get(site.number)
        if report is None or site.opens or any(h.bad for h in report.inputs):
            return False
        makers = (self.watch.producers.get(key) for key in site.inputs)
        return not any(n in self.first and self.order[n] < self.order[site.number] for n in makers if n is not None)

    def _upwards(self, keys: Iterable[int]) -> list[Site]:
        """Sites behind these tensors, through bad ones and through those nobody looked at."""
        seen, waiting, found = set(keys), deque(keys), []
        done: set[int] = set()
        while waiting:
            key = waiting.popleft()
            before = list(self._links.get(key, ()))
            number = self.watch.producers.get(key)
            site = None if number is None else self.watch.sites[number]
            passes = site is not None and (site.number in self.first or _hides_numbers(site))
            if site is not None and passes and site.number not in done:
                done.add(site.number)
                found.append(site)
                before += site.inputs
            fresh = [k for k in before if k not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
        return found

    def _falls_into_mask(self, site: Site) -> bool:
        seen, waiting = set(site.outputs), deque(site.outputs)
        while waiting:
            key = waiting.popleft()
            fresh = list(self._followers.get(key, ()))
            for number in self._readers.get(key, ()):
                reader = self.watch.sites[number]
                if reader.backward:
                    continue
                if reader.type in _MASKS and number not in self.first:
                    return True
                if number in self.first or reader.type in UNWATCHED:
                    fresh += reader.outputs
            fresh = [k for k in fresh if k not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
        return False

    def _gradient_of_mask(self, site: Site) -> bool:
        """Whether the gradient that comes in was made by a mask's rule: zero where the branch was not taken."""
        report = self.first[site.number]
        if not report.output.nan or not any(h.zero for h in report.inputs):
            return False
        waiting = deque((key, 0) for key in site.inputs)
        seen = set(site.inputs)
        while waiting:
            key, far = waiting.popleft()
            number = self.watch.producers.get(key)
            before = list(self._links.get(key, ()))
            if number is not None and self.watch.sites[number].backward:
                maker = self.watch.sites[number]
                if maker.forward is not None and self.watch.sites[maker.forward].type in _DECIDES:
                    return True
                before += maker.inputs
            fresh = [k for k in before if k not in seen] if far < _FAR else []
            seen.update(fresh)
            waiting.extend((k, far + 1) for k in fresh)
        return False

    def _enter(self, site: Site) -> None:
        """Tie a loop, branch or call to the bodies it runs."""
        op = site.op
        if op is None:
            return
        if op.type in WHILE:
            body = nested_graph(op, "_body_graph", op.get_attr("body").name)
            cond = nested_graph(op, "_cond_graph", op.get_attr("cond").name)
            self._tie(cond.inputs, op.inputs)
            self._tie(body.inputs, op.inputs)
            self._tie(body.inputs, body.outputs)
            self._tie(op.outputs, body.outputs)
            self._tie(op.outputs, op.inputs)
            self._captured((body, cond))
        elif op.type in BRANCHING:
            graphs = branch_graphs(op)
            for graph in graphs:
                self._tie(graph.inputs, list(op.inputs)[1:])
                self._tie(op.outputs, graph.outputs)
            self._captured(graphs)
        elif op.type in CALL:
            graph = private.function_graph(op, op.get_attr("f").name)
            if graph is not None:
                self._tie(graph.inputs, op.inputs)
                self._tie(op.outputs, graph.outputs)
                self._captured((graph,))

    def _tie_stacks(self) -> None:
        """What a TF1 backward loop pops is what the forward loop pushed on the same stack."""
        pushed: dict[int, list[int]] = defaultdict(list)
        for site in self.watch.sites:
            if site.type == "StackPushV2":
                pushed[self._root(site.inputs[0])].append(site.inputs[1])
        for site in self.watch.sites:
            if site.type == "StackPopV2":
                for key in site.outputs:
                    self._links[key] += pushed[self._root(site.inputs[0])]

    def _root(self, key: int) -> int:
        """The tensor that a handle is, behind Enter and Identity ops."""
        while (number := self.watch.producers.get(key)) is not None and self.watch.sites[number].type in UNWATCHED:
            if not self.watch.sites[number].inputs:
                break
            key = self.watch.sites[number].inputs[0]
        return key

    def _tie(self, after: Sequence[Any], before: Sequence[Any]) -> None:
        for late, early in zip(after, before, strict=False):
            if late is not early:
                self._links[self.watch.key(late)].append(self.watch.key(early))

    def _captured(self, graphs: Iterable[Any]) -> None:
        for graph in graphs:
            for outer, inner in getattr(graph, "captures", ()):
                self._links[self.watch.key(inner)].append(self.watch.key(outer))


def _hides_numbers(site: Site) -> bool:
    """Nobody looked, or what was looked at is not the numbers: a TF1 TensorArray's flow says only what comes first."""
    return site.type in UNWATCHED or site.makes_handle or site.type.startswith("TensorArray")


def _bad_constant(site: Site) -> bool:
    value = None if site.op is None or not site.dtype else tf.get_static_value(site.op.outputs[0])
    return value is not None and not bool(np.isfinite(np.asarray(value).astype(np.float64)).all())
