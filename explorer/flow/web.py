"""All bodies of a Snapshot woven into one flat graph: tensors, and edges that carry a gradient or do not.

Loops add the back edge (next -> inside) and the zero-trip edge (enters -> leaves); variables are memory, so a value
assigned to one reaches later reads without a gradient.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from explorer.flow import frames
from explorer.flow.local import local_cause
from explorer.model.graph import Graph, Loop, Op, Signature, Slot, Snapshot
from explorer.rules.ops import ASSIGN, BRANCHING, CUTTING_NOTES, FRAME_OPS, READ, REF_ASSIGN, WHILE


@dataclass(frozen=True, slots=True)
class Edge:
    """Data goes from ``before`` to ``after``; ``cause`` says why no gradient comes back, None where one does.

    ``input`` is the op's input position, -1 for a loop or branch condition.
    """

    before: int
    after: int
    op: int
    input: int
    output: int
    cause: str | None = None
    memory: bool = False

    @property
    def carries(self) -> bool:
        """Whether a gradient comes back along this edge."""
        return self.cause is None


class Web:
    """The flat graph. Nodes are tensor ids; a variable's memory is a node beyond the last tensor."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.edges: list[Edge] = []
        self.out_of: dict[int, list[int]] = defaultdict(list)
        self.into: dict[int, list[int]] = defaultdict(list)
        self._trainable = [t.trainable for t in snapshot.tensors]
        self._root: dict[int, int] = {}
        self._memory: dict[int, int] = {}
        self._bodies: dict[int, list[Graph]] = defaultdict(list)
        self._loop_of: dict[int, Loop] = {loop.op: loop for loop in snapshot.loops if loop.op >= 0}
        self._sure = frames.sure_switches(snapshot)
        for graph in snapshot.graphs:
            self._bodies[graph.op].append(graph)
        self._in_condition = _condition_graphs(snapshot)
        stores: list[Edge] = []
        for op in snapshot.ops:
            self._weave(op, stores)
        self._weave_memory(stores)

    def trainable(self, node: int) -> bool:
        """Whether TensorFlow would give this node a gradient; memory has none."""
        return node < len(self._trainable) and self._trainable[node]

    def is_memory(self, node: int) -> bool:
        """Whether the node is a variable's memory rather than a tensor."""
        return node >= len(self._trainable)

    def reach(self, seeds: Iterable[int], *, forward: bool, carrying: bool) -> set[int]:
        """All nodes reached from ``seeds``, along carrying edges only or along all."""
        seen = set(seeds)
        stack = list(seen)
        adjacent = self.out_of if forward else self.into
        while stack:
            for number in adjacent.get(stack.pop(), ()):
                edge = self.edges[number]
                if carrying and not edge.carries:
                    continue
                node = edge.after if forward else edge.before
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
        return seen

    def _add(self, edge: Edge) -> None:
        number = len(self.edges)
        self.edges.append(edge)
        self.out_of[edge.before].append(number)
        self.into[edge.after].append(number)

    def _link(self, before: int, after: int, op: int, position: int, cause: str | None = None) -> None:
        """An edge that only hands a value on: into a body, out of it, round the loop."""
        if before < 0 or after < 0:
            return
        if cause is None and not (self._trainable[before] and self._trainable[after]):
            cause = "integer_dtype"
        self._add(Edge(before, after, op, position, position, cause))

    def _alias(self, name: int, original: int) -> None:
        self._root.setdefault(name, original)

    def _weave(self, op: Op, stores: list[Edge]) -> None:
        bodies = self._bodies.get(op.id, [])
        if op.type in WHILE and op.id in self._loop_of:
            self._weave_while(op, self._loop_of[op.id], bodies)
        elif op.type in BRANCHING and bodies:
            self._weave_branches(op, bodies)
        elif bodies:
            self._weave_call(op, bodies[0])
        elif op.type in FRAME_OPS:
            links = frames.links(op) if op.id not in self._sure else frames.sure_links(op, self._sure[op.id])
            for before, after, position, cause in links:
                self._alias(after, before)
                self._link(before, after, op.id, position, cause)
        elif op.type in ASSIGN or op.type in REF_ASSIGN:
            self._weave_assign(op, stores)
        elif op.signature >= 0 and op.outputs:
            self._weave_plain(op, self.snapshot.signatures[op.signature], stores)

    def _weave_plain(self, op: Op, signature: Signature, stores: list[Edge]) -> None:
        if op.type in READ or self._reads_reference(op):
            stores.append(Edge(op.inputs[0], op.outputs[0], op.id, 0, 0, "assigned", memory=True))
        if op.type == "Identity" and self.snapshot.tensors[op.outputs[0]].dtype == "resource":
            self._alias(op.outputs[0], op.inputs[0])
        for o, after in enumerate(op.outputs):
            for i, before in enumerate(op.inputs):
                # a custom gradient is an IdentityN of results and arguments, whose rule pairs results with arguments
                if op.type == "IdentityN" and o != i and (o, i) not in signature.pairs:
                    continue
                carries = (o, i) in signature.pairs and self._trainable[before] and self._trainable[after]
                cause = op.note if op.note in CUTTING_NOTES else None
                if not carries:
                    in_condition = op.graph in self._in_condition
                    cause = "condition_only" if in_condition else local_cause(self.snapshot, op, signature, o, i)
                self._add(Edge(before, after, op.id, i, o, cause))

    def _reads_reference(self, op: Op) -> bool:
        """TF1 reads a reference variable through an Identity on it."""
        producer = self.snapshot.tensors[op.inputs[0]].op if op.type == "Identity" else -1
        return producer >= 0 and self.snapshot.ops[producer].type in ("VariableV2", "Variable")

    def _weave_assign(self, op: Op, stores: list[Edge]) -> None:
        for i, before in enumerate(op.inputs[1:], 1):
            stores.append(Edge(before, op.inputs[0], op.id, i, -1, "assigned"))
        if op.type in REF_ASSIGN and op.outputs:
            self._alias(op.outputs[0], op.inputs[0])
            for i, before in enumerate(op.inputs[1:], 1):
                self._add(Edge(before, op.outputs[0], op.id, i, 0, "assigned"))

    def _weave_memory(self, stores: list[Edge]) -> None:
        """Assigned values reach the variable's memory, and memory reaches every read, without a gradient."""
        written = {self._find(e.after) for e in stores if not e.memory}
        for edge in stores:
            root = self._find(edge.before if edge.memory else edge.after)
            if root not in written:
                continue
            node = self._memory.setdefault(root, len(self._trainable) + len(self._memory))
            if edge.memory:
                self._add(Edge(node, edge.after, edge.op, 0, 0, "assigned", memory=True))
            else:
                self._add(Edge(edge.before, node, edge.op, edge.input, -1, "assigned"))

    def _find(self, node: int) -> int:
        seen = set()
        while node in self._root and node not in seen:
            seen.add(node)
            node = self._root[node]
        return node

    def _weave_while(self, op: Op, loop: Loop, bodies: list[Graph]) -> None:
        condition = next(g for g in bodies if g.kind == "cond")
        decision = condition.outputs[0]
        for slot, seen in zip(loop.slots, condition.inputs, strict=True):
            self._alias(slot.inside, slot.enters)
            self._alias(seen, slot.enters)
            self._link(slot.enters, seen, op.id, slot.index)
            self._link(slot.inside, seen, op.id, slot.index)
            self._weave_slot(op.id, loop, slot, decision)

    def _weave_slot(self, op: int, loop: Loop, slot: Slot, decision: int) -> None:
        k, invariant = slot.index, slot.role in ("invariant", "limit")
        if loop.enters is not False:
            self._link(slot.enters, slot.inside, op, k, "lost_handle_data" if slot.lost else None)
            self._link(slot.next, slot.leaves, op, k, "added_after_recording" if slot.late else None)
            if not invariant:
                self._link(slot.next, slot.inside, op, k)
        if loop.enters is not True or invariant:
            self._link(slot.enters, slot.leaves, op, k)
        else:
            self._link(slot.enters, slot.leaves, op, k, "replaced_each_iteration")
        if not invariant and slot.leaves >= 0:
            self._add(Edge(decision, slot.leaves, op, -1, k, "condition_only"))

    def _weave_branches(self, op: Op, branches: list[Graph]) -> None:
        for graph in branches:
            if op.taken is not None and graph.branch != op.taken:
                continue
            self._weave_body(op, graph, op.inputs[1:], first=1)
        for output in op.outputs:
            self._add(Edge(op.inputs[0], output, op.id, -1, 0, "condition_only"))

    def _weave_call(self, op: Op, graph: Graph) -> None:
        self._weave_body(op, graph, op.inputs, first=0)

    def _weave_body(self, op: Op, graph: Graph, given: tuple[int, ...], first: int) -> None:
        for k, (outer, inner) in enumerate(zip(given, graph.inputs, strict=False)):
            self._alias(inner, outer)
            self._link(outer, inner, op.id, first + k, op.note if op.note in CUTTING_NOTES else None)
        for k, (inner, outer) in enumerate(zip(graph.outputs, op.outputs, strict=False)):
            self._link(inner, outer, op.id, k)


def _condition_graphs(snapshot: Snapshot) -> set[int]:
    """Graphs that are a loop's condition or lie inside one. Parents have smaller ids than what hangs below them."""
    found: set[int] = set()
    for graph in snapshot.graphs:
        owner = snapshot.ops[graph.op].graph if graph.op >= 0 else -1
        if graph.kind == "cond" or owner in found:
            found.add(graph.id)
    return found
