"""How data runs through a snapshot, across the borders of function bodies and loops.

``Dataflow`` answers three questions the picture needs: which op made a tensor, which tensors are the same value on the
other side of a border, and which tensors have a source behind them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from explorer.layout.plumbing import FRAMES, SHAPES, STRUCTURE
from explorer.layout.reach import reach
from explorer.model.graph import Graph, Slot, Snapshot
from explorer.rules.ops import ASSIGN, REF_ASSIGN


@dataclass(frozen=True)
class Dataflow:
    """``behind`` maps a tensor to the tensors it repeats from beyond a border; ``slots`` the loop variable a tensor is
    inside a loop, ``results`` the one it is after it (loop id, slot). ``fed`` and ``trained`` are the tensors that
    descend from any source, and from a trainable one. ``hidden`` holds the graphs that only decide (loop conditions).
    ``written`` maps a variable's handle to the ops that assign it: what is read later may be their value.
    """

    behind: dict[int, tuple[int, ...]]
    slots: dict[int, tuple[str, Slot]]
    results: dict[int, tuple[str, Slot]]
    fed: frozenset[int]
    trained: frozenset[int]
    hidden: frozenset[int]
    written: dict[int, tuple[int, ...]]


def dataflow(snapshot: Snapshot) -> Dataflow:
    """Follow every border once."""
    slots, results = _loop_sides(snapshot)
    behind = _borders(snapshot, slots)
    written = _written(snapshot, behind)
    ahead = _ahead(snapshot, behind)
    for handle, ops in written.items():
        for op in ops:
            for value in snapshot.ops[op].inputs[1:]:
                ahead[value].append(handle)
    sources = [source for source in snapshot.sources if source.tensor >= 0]
    return Dataflow(
        behind=behind,
        slots=slots,
        results=results,
        fed=frozenset(reach((source.tensor for source in sources), ahead)),
        trained=frozenset(reach((source.tensor for source in sources if source.trainable), ahead)),
        hidden=_condition_graphs(snapshot),
        written=written,
    )


def _loop_sides(snapshot: Snapshot) -> tuple[dict[int, tuple[str, Slot]], dict[int, tuple[str, Slot]]]:
    inside: dict[int, tuple[str, Slot]] = {}
    after: dict[int, tuple[str, Slot]] = {}
    for loop in snapshot.loops:
        if loop.kind == "python":  # an unrolled loop has no tensors of its own: its iterations are told by Op.turn
            continue
        for slot in loop.slots:
            side = (loop.id, slot)
            if slot.inside >= 0:
                inside[slot.inside] = side
                for tensor in _through_frames(snapshot, slot.inside, "Merge"):
                    inside.setdefault(tensor, side)
            if slot.leaves >= 0:
                after[slot.leaves] = side
    return inside, after


def _through_frames(snapshot: Snapshot, tensor: int, last: str) -> list[int]:
    """The tensors behind one on its way back through TF1 control flow, up to and with the op type ``last``."""
    found: list[int] = []
    while True:
        op = snapshot.ops[snapshot.tensors[tensor].op]
        kind = op.type.removeprefix("Ref")
        if kind not in ("Identity", "Switch", "Merge") or not op.inputs:
            return found if found and kind == last else []
        found.extend(output for output in op.outputs if kind != "Switch" or output == tensor)
        if kind == last:
            return found
        tensor = op.inputs[0]


def _borders(snapshot: Snapshot, inside: dict[int, tuple[str, Slot]]) -> dict[int, tuple[int, ...]]:
    behind: dict[int, list[int]] = defaultdict(list)
    for graph in snapshot.graphs:
        if graph.op < 0 or graph.kind == "cond":
            continue
        caller = snapshot.ops[graph.op]
        given = caller.inputs[1:] if graph.kind == "branch" else caller.inputs
        for inner, outer in zip(graph.inputs, given, strict=False):
            if inner not in inside:
                behind[inner].append(outer)
        if graph.kind != "body" and _runs(graph, caller.taken):
            for outer, inner in zip(caller.outputs, graph.outputs, strict=False):
                behind[outer].append(inner)
    for loop in snapshot.loops:
        for slot in loop.slots if loop.kind != "python" else ():
            behind[slot.inside] = [tensor for tensor in (slot.enters, slot.next) if tensor >= 0]
            behind[slot.leaves] = [tensor for tensor in (slot.next, slot.enters) if tensor >= 0]
    behind.pop(-1, None)
    return {tensor: tuple(dict.fromkeys(others)) for tensor, others in behind.items()}


def _runs(graph: Graph, taken: int | None) -> bool:
    return graph.kind != "branch" or taken is None or taken == graph.branch


def _ahead(snapshot: Snapshot, behind: dict[int, tuple[int, ...]]) -> dict[int, list[int]]:
    ahead: dict[int, list[int]] = defaultdict(list)
    for tensor, others in behind.items():
        for other in others:
            ahead[other].append(tensor)
    for op in snapshot.ops:
        if op.type in SHAPES or op.type in STRUCTURE:
            continue
        data = op.inputs[:1] if op.type in FRAMES and not op.type.endswith("Merge") else op.inputs
        for tensor in data:
            ahead[tensor].extend(op.outputs)
    return ahead


def _written(snapshot: Snapshot, behind: dict[int, tuple[int, ...]]) -> dict[int, tuple[int, ...]]:
    found: dict[int, list[int]] = defaultdict(list)
    for op in snapshot.ops:
        if op.type not in ASSIGN | REF_ASSIGN or not op.inputs:
            continue
        handle, seen = op.inputs[0], set()
        while handle in behind and handle not in seen:  # out of the bodies, to where the variable is made
            seen.add(handle)
            handle = behind[handle][0]
        found[handle].append(op.id)
    return {handle: tuple(ops) for handle, ops in found.items()}


def _condition_graphs(snapshot: Snapshot) -> frozenset[int]:
    hidden: set[int] = set()
    for graph in snapshot.graphs:
        place: Graph | None = graph
        while place is not None and place.op >= 0:
            if place.kind == "cond":
                hidden.add(graph.id)
                break
            place = snapshot.graphs[snapshot.ops[place.op].graph]
    return frozenset(hidden)
