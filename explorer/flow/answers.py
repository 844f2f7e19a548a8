"""What TensorFlow will return for a tensor: ``None``, or a tensor that may be all zeros.

This is not the same as whether the path is whole; where the two differ, the gradient is a hidden None. The rules,
exact on every program tried with TensorFlow 2.21:

* While: if any trainable output has a gradient, EVERY input of trainable dtype gets a tensor, captures included;
  a resource without handle data is the exception.
* If/Case: inside a branch all trainable outputs count as having a gradient; an input gets a tensor if any branch
  gives it one (the other branches are filled with zeros).
* Call: inside, all trainable outputs count as having a gradient.
* Any other op: as its rule answers, missing gradients of trainable outputs being filled with zeros.
* TF1 frames hand gradients on edge by edge, so what is captured stays None; but see
  ``explorer.flow.between`` for results of a loop that are filled with zeros.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from explorer.flow.between import Between
from explorer.model.graph import Graph, Op, Snapshot
from explorer.rules.ops import BRANCHING, CUTTING_NOTES, EXIT, FRAME_OPS, SWITCH, WHILE


class Answers:
    """Answers the question for one Snapshot; bodies are looked into once each."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._loops = {loop.op: loop for loop in snapshot.loops if loop.op >= 0}
        self._late = {slot.leaves for loop in snapshot.loops for slot in loop.slots if slot.late}
        self._bodies: dict[int, list[Graph]] = defaultdict(list)
        for graph in snapshot.graphs:
            self._bodies[graph.op].append(graph)
        self._between = Between(snapshot)
        self.arrived: set[int] = set()
        """All tensors, those of bodies included, that got a gradient so far, of zeros at least."""

    def given(self, losses: Iterable[int]) -> set[int]:
        """All tensors of the root that get a tensor, not None, when ``losses`` are differentiated."""
        tensors = self._snapshot.tensors
        answered = {t for t in losses if tensors[t].trainable}
        stack, visited = list(answered), set()
        while stack:
            tensor = stack.pop()
            producer = tensors[tensor].op
            if producer < 0 or producer in visited or tensor in self._late:
                continue
            visited.add(producer)
            for given in self._answered_by(self._snapshot.ops[producer]):
                if given not in answered and tensors[given].trainable:
                    answered.add(given)
                    stack.append(given)
        self.arrived |= answered
        return answered

    def _answered_by(self, op: Op) -> Iterable[int]:
        """The inputs that get a gradient once ``op`` has one, and the results of the same TF1 loop."""
        if op.graph == 0 and not self._between.visits(op.id):
            return ()
        beside = self._between.beside(op.outputs[0]) if op.type in EXIT else ()
        return (*self._inputs_answered(op), *beside)

    def _inputs_answered(self, op: Op) -> Iterable[int]:
        bodies = self._bodies.get(op.id, ())
        if op.note in CUTTING_NOTES and op.type not in FRAME_OPS:
            return ()
        if op.type in WHILE and op.id in self._loops:
            return self._while(op, bodies)
        if op.type in BRANCHING and bodies:
            return self._inside(op.inputs[1:], bodies)
        if bodies:
            return self._inside(op.inputs, bodies)
        if op.type in FRAME_OPS:
            cut = op.type in EXIT and op.note
            return () if cut else op.inputs[:1] if op.type in SWITCH else op.inputs
        if op.signature < 0:
            return ()
        return (op.inputs[i] for i in self._snapshot.signatures[op.signature].answers if i < len(op.inputs))

    def _while(self, op: Op, bodies: Iterable[Graph]) -> Iterable[int]:
        for body in bodies:
            if body.kind == "body":
                self.given(body.outputs)
        return (slot.enters for slot in self._loops[op.id].slots if not slot.lost)

    def _inside(self, given: tuple[int, ...], bodies: Iterable[Graph]) -> set[int]:
        found = set()
        for body in bodies:
            inside = self.given(body.outputs)
            found |= {outer for outer, inner in zip(given, body.inputs, strict=False) if inner in inside}
        return found
