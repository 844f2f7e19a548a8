"""From tensors to links between cards: walk back from every card through what is folded away until a card is met."""

from __future__ import annotations

from dataclasses import dataclass, field

from explorer.layout.dataflow import Dataflow
from explorer.layout.passing import Passing, better, worse
from explorer.layout.plumbing import FRAMES, PLUMBING, SHAPES, STRUCTURE
from explorer.layout.turns import Turns
from explorer.layout.values import Link
from explorer.model.graph import Op, Slot, Snapshot
from explorer.rules.ops import ASSIGN

CHIPS = ("state", "accumulator")


@dataclass(frozen=True)
class Origin:
    """What stands behind a tensor: a card, or the very op (of whatever iteration) that a card stands for."""

    card: str
    status: str
    op: int = -1


@dataclass
class Links:
    """Links found so far; of two links between the same cards the better status stays, and any barrier."""

    found: dict[tuple[str, str, str], Link] = field(default_factory=dict)

    def add(self, start: str, end: str, status: str, barrier: str | None = None, carried: str = "") -> None:
        """Add a link or merge it with the one that is there."""
        if start == end and not carried:
            return
        key = (start, end, carried)
        old = self.found.get(key)
        if old is not None:
            status = better(status, old.status)
            barrier = old.barrier or barrier
        self.found[key] = Link(start, end, "blocked" if barrier else status, barrier, carried)


class Tracer:
    """Knows which ops and loop variables are drawn, and finds what stands behind a tensor."""

    def __init__(self, snapshot: Snapshot, data: Dataflow, passing: Passing, turns: Turns) -> None:
        self.snapshot, self.data, self.passing, self.turns = snapshot, data, passing, turns
        self._sources = {source.tensor: f"source:{source.name}" for source in snapshot.sources if source.tensor >= 0}
        ops = (snapshot.ops[barrier.op] for barrier in passing.barriers.values() if barrier.op >= 0)
        self._barred = {turns.stands_for(op) for op in ops}
        self._visible: dict[int, bool] = {}

    def drawn(self, op: Op) -> int | None:
        """The id of the op whose card stands for this op, None if it is folded away."""
        stand_in = self.turns.stands_for(op)
        if stand_in is None:
            return None
        if stand_in not in self._visible:
            self._visible[stand_in] = self._worth_a_card(self.snapshot.ops[stand_in])
        return stand_in if self._visible[stand_in] else None

    def _worth_a_card(self, op: Op) -> bool:
        if op.id in self._barred:
            shown = bool(op.outputs) or op.type in ASSIGN
            return shown and op.type not in FRAMES | STRUCTURE and op.graph not in self.data.hidden
        if op.type in PLUMBING or op.graph in self.data.hidden:
            return False
        tensors = self.snapshot.tensors
        return any(
            tensors[output].trainable and output in self.data.fed and self.passing.leads(output)
            for output in op.outputs
        )

    def chip(self, slot: Slot) -> bool:
        """Whether a loop variable is drawn: counters, limits and what no source reaches are not."""
        sides = [tensor for tensor in (slot.inside, slot.next, slot.leaves) if tensor >= 0]
        if slot.role not in CHIPS or not sides:
            return False
        return any(tensor in self.data.fed and self.passing.leads(tensor) for tensor in sides)

    def origins(self, tensor: int) -> list[Origin]:
        """The cards behind a tensor, each with the worst status on the way; nearest first."""
        found: dict[Origin, None] = {}
        start = (tensor, self.passing.tensor(tensor))
        waiting, seen = [start], {start}
        while waiting:
            place, status = waiting.pop(0)
            for writer in self.data.written.get(place, ()):
                drawn = self.drawn(self.snapshot.ops[writer])
                if drawn is not None and drawn in self._barred:
                    found.setdefault(Origin(f"op:{drawn}", "nondiff", writer))
            origin = self._card_of(place, status)
            if origin is not None:
                found.setdefault(origin)
                continue
            for step in self._back(place, status):
                if step not in seen:
                    seen.add(step)
                    waiting.append(step)
        return list(found)

    def _card_of(self, tensor: int, status: str) -> Origin | None:
        if tensor in self._sources:
            return Origin(self._sources[tensor], status)
        for sides, kind in ((self.data.slots, "slot"), (self.data.results, "next")):
            if tensor in sides and self.chip(sides[tensor][1]):
                loop, slot = sides[tensor]
                return Origin(f"{kind}:{loop}#{slot.index}", status)
        op = self.snapshot.ops[self.snapshot.tensors[tensor].op]
        drawn = self.drawn(op)
        return None if drawn is None else Origin(f"op:{drawn}", status, op.id)

    def _back(self, tensor: int, status: str) -> list[tuple[int, str]]:
        """The tensors one step behind a folded one; only where a source is behind them."""
        if tensor in self.data.slots and tensor not in self.data.behind:  # a TF1 alias of a loop variable
            return [(self.data.slots[tensor][1].inside, status)]
        behind = self.data.behind.get(tensor)
        if behind is not None:
            side = self.data.slots.get(tensor) or self.data.results.get(tensor)
            if side is not None and side[1].role == "invariant":  # the body hands on what it was given
                behind = (side[1].enters,)
            steps = [(other, worse(status, self.passing.tensor(other))) for other in behind]
        else:
            op = self.snapshot.ops[self.snapshot.tensors[tensor].op]
            if op.type in SHAPES:
                return []
            places = range(1) if op.type in FRAMES and not op.type.endswith("Merge") else range(len(op.inputs))
            steps = [(op.inputs[place], worse(status, self.passing.into(op, place))) for place in places]
        return [(other, state) for other, state in steps if other in self.data.fed]
