"""The barriers met while predicting: each is told once, with a count."""

from __future__ import annotations

from collections import Counter

from explorer.flow.web import Edge, Web
from explorer.model.graph import Departure, Location, Op, Snapshot
from explorer.model.verdict import Barrier
from explorer.rules.causes import remedy, remedy_of_layer


class Ledger:
    """Barriers met so far: the same line met in every iteration of an unrolled loop is one barrier with a count."""

    def __init__(self, web: Web, whole: set[int], leads: set[int]) -> None:
        self.web, self.whole, self.leads = web, whole, leads
        self._by_key: dict[tuple, tuple[Edge, str]] = {}
        self._departures: dict[tuple, Barrier] = {}
        self._counts = Counter(
            self._key(e, e.cause)
            for e in web.edges
            if not e.carries and e.after in leads and web.trainable(e.before) and e.before not in whole
        )

    def note(self, edge: Edge, cause: str | None = None) -> str:
        """The barrier's id."""
        cause = cause or edge.cause or "opaque"
        key = self._key(edge, cause)
        if key not in self._by_key:
            self._by_key[key] = (edge, self._next_id())
        return self._by_key[key][1]

    def note_departure(self, departure: Departure, cause: str) -> str:
        """The id of the barrier at which a value goes to Python; one per line, counted."""
        snapshot = self.web.snapshot
        producer = snapshot.ops[snapshot.tensors[departure.tensor].op]
        where = snapshot.where(departure.stack)
        key = (departure.how, where, producer.loop, cause)
        if key not in self._departures:
            same = {
                d.tensor for d in snapshot.departures if d.how == departure.how and snapshot.where(d.stack) == where
            }
            self._departures[key] = Barrier(
                id=self._next_id(),
                op=producer.id,
                op_name=departure.how,
                op_type=departure.how,
                input=0,
                loop=producer.loop,
                cause=cause,
                loud=False,
                location=where,
                remedy=remedy(cause),
                before=departure.tensor,
                after=-1,
                count=len(same),
            )
        return self._departures[key].id

    def note_unseen(self, cause: str, location: Location | None, what: str) -> str:
        """The id of a barrier outside the program that was captured."""
        key = (cause, location)
        if key not in self._departures:
            self._departures[key] = Barrier(
                self._next_id(), -1, what, what, 0, "", cause, False, location, remedy(cause), before=-1, after=-1
            )
        return self._departures[key].id

    def _next_id(self) -> str:
        return f"b{len(self._by_key) + len(self._departures) + 1}"

    def barriers(self) -> list[Barrier]:
        """All barriers noted, in the order they were met."""
        found = [self._barrier(edge, name, key) for key, (edge, name) in self._by_key.items()]
        return sorted([*found, *self._departures.values()], key=lambda b: int(b.id[1:]))

    def _key(self, edge: Edge, cause: str | None) -> tuple:
        op = self.web.snapshot.ops[edge.op]
        where = self.web.snapshot.where(op.stack)
        # a recorded eager op is one of many made by one line; an op of a graph is one thing of its own
        one = (op.type, op.loop, where) if self.web.snapshot.control_flow == "eager" else (op.id,)
        return (*one, edge.input, edge.output, cause)

    def _barrier(self, edge: Edge, name: str, key: tuple) -> Barrier:
        snapshot = self.web.snapshot
        op = snapshot.ops[edge.op]
        rule = snapshot.signatures[op.signature].rule if op.signature >= 0 else "ok"
        cause, where = key[-1], snapshot.where(op.stack)
        layer = snapshot.layer(op) if cause == "assigned" else None  # its state is chosen where the layer is made
        seen = snapshot.cut(op.id, edge.output, edge.input)
        where = seen.location if seen is not None and seen.location is not None else where
        return Barrier(
            id=name,
            op=op.id,
            op_name=op.name,
            op_type=op.type,
            input=edge.input,
            loop=_loop(snapshot, op),
            cause=cause,
            loud=(rule in ("lookup", "raises") or op.type == "PreventGradient") and edge.after in self.whole,
            location=layer.location if layer else where,
            remedy=remedy_of_layer(layer, where) if layer else remedy(cause),
            before=edge.before,
            after=edge.after,
            count=max(1, self._counts.get(key, 1)),
            evidence=snapshot.signatures[op.signature].message if op.signature >= 0 else "",
        )


def _loop(snapshot: Snapshot, op: Op) -> str:
    """A cut on the border of a loop belongs to that loop."""
    loop = next((candidate for candidate in snapshot.loops if candidate.op == op.id), None)
    return loop.id if loop is not None else op.loop
