"""Predicts, without a backward pass, which sources get a gradient, and what cuts it."""

from __future__ import annotations

from collections import Counter

from explorer.flow.answers import Answers
from explorer.flow.explain import cheapest_way, cuts
from explorer.flow.risks import loud_ops, risks
from explorer.flow.web import Edge, Web
from explorer.model.graph import Departure, Op, Snapshot, Source
from explorer.model.verdict import Barrier, GradientFlow, Prediction
from explorer.rules.causes import remedy

_DISCONNECTING = ("shape_only", "replaced_each_iteration")


def predict(snapshot: Snapshot) -> GradientFlow:
    """The prediction for every source of a Snapshot."""
    web = Web(snapshot)
    whole = web.reach(snapshot.losses, forward=False, carrying=True)
    leads = web.reach(snapshot.losses, forward=False, carrying=False)
    answered = Answers(snapshot).given(snapshot.losses)
    ledger = _Ledger(web, whole, leads)
    predictions = [_predict_source(source, ledger, answered) for source in snapshot.sources]
    loud = loud_ops(web, whole)
    if loud:  # one missing rule on the way makes the whole backward pass raise
        predictions = [
            p if p.predicted == "not-trainable" else Prediction(p.source, "raised", False, p.cause, p.barriers)
            for p in predictions
        ]
        for edge in loud:
            ledger.note(edge)
    return GradientFlow(
        predictions=tuple(predictions),
        barriers=tuple(ledger.barriers()),
        whole=frozenset(t for t in whole if not web.is_memory(t)),
        leads=frozenset(t for t in leads if not web.is_memory(t)),
        risks=tuple(risks(web, whole)),
    )


def _predict_source(source: Source, ledger: _Ledger, answered: set[int]) -> Prediction:
    web, node = ledger.web, source.tensor
    if not source.trainable:
        return Prediction(source.name, "not-trainable", False, "not_trainable")
    if node < 0:
        return Prediction(source.name, "none-disconnected", False, "never_read")
    given = node in answered
    if node in ledger.whole:
        return Prediction(source.name, "flows", given)
    left = _left(source, ledger)
    if left is not None:
        return Prediction(source.name, "none-blocked", given, "left_tensorflow", (left,))
    if node not in ledger.leads:
        return _dropped(source, ledger, given)
    way = cheapest_way(web, node, set(web.snapshot.losses), ledger.leads) or []
    edges = cuts(web, way)
    causes = [e.cause or "opaque" for e in edges]
    cut = next((c for c in causes if c in _DISCONNECTING), None)
    return Prediction(
        source.name,
        "none-disconnected" if cut else "none-blocked",
        given,
        "replaced_each_iteration" if "replaced_each_iteration" in causes else causes[0] if causes else "opaque",
        tuple(dict.fromkeys(ledger.note(e) for e in edges)),
    )


def _left(source: Source, ledger: _Ledger) -> str | None:
    """Where the value left TensorFlow (``.numpy()``) and, as far as can be told, came back as a constant.

    Python is not traced, so the evidence is a float constant that appears later and leads to the loss.
    """
    snapshot = ledger.web.snapshot
    if not snapshot.departures:
        return None
    reached = ledger.web.reach([source.tensor], forward=True, carrying=False)
    for departure in snapshot.departures:
        if departure.tensor in reached and _came_back(ledger, departure.tensor):
            return ledger.note_departure(departure)
    return None


def _came_back(ledger: _Ledger, tensor: int) -> bool:
    """Whether a float constant that eager code met after ``tensor`` was made leads to the loss."""
    snapshot = ledger.web.snapshot
    producer = snapshot.tensors[tensor].op
    return any(
        t.id in ledger.leads and t.trainable and t.op > producer and snapshot.ops[t.op].type == "Const"
        for t in snapshot.tensors
    )


def _dropped(source: Source, ledger: _Ledger, given: bool) -> Prediction:
    """Data that goes nowhere: name the ops at which it ends."""
    web = ledger.web
    reached = web.reach([source.tensor], forward=True, carrying=False)
    ends = [t for t in reached if t != source.tensor and not web.out_of.get(t)]
    if not ends:
        return Prediction(source.name, "none-disconnected", given, "never_read")
    last = {web.edges[web.into[t][0]].op: web.edges[web.into[t][0]] for t in sorted(ends)}
    edges = list(last.values())[:3]
    if web.snapshot.control_flow == "eager":
        # NumPy functions read a tensor through the buffer protocol, which no hook sees
        gone = [e for e in edges if web.trainable(e.after) and _came_back(ledger, e.after)]
        if gone:
            noted = [ledger.note(edge, "left_tensorflow") for edge in gone]
            return Prediction(source.name, "none-blocked", given, "left_tensorflow", tuple(noted))
    noted = [ledger.note(edge, "result_dropped") for edge in edges]
    return Prediction(source.name, "none-disconnected", given, "result_dropped", tuple(noted))


class _Ledger:
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

    def note_departure(self, departure: Departure) -> str:
        """The id of the barrier at which a value leaves TensorFlow; one per line, counted."""
        snapshot = self.web.snapshot
        producer = snapshot.ops[snapshot.tensors[departure.tensor].op]
        where = snapshot.where(departure.stack)
        key = (departure.how, where, producer.loop)
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
                cause="left_tensorflow",
                loud=False,
                location=where,
                remedy=remedy("left_tensorflow"),
                before=departure.tensor,
                after=-1,
                count=len(same),
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
        cause = key[-1]
        return Barrier(
            id=name,
            op=op.id,
            op_name=op.name,
            op_type=op.type,
            input=edge.input,
            loop=_loop(snapshot, op),
            cause=cause,
            loud=(rule in ("lookup", "raises") or op.type == "PreventGradient") and edge.after in self.whole,
            location=snapshot.where(op.stack),
            remedy=remedy(cause),
            before=edge.before,
            after=edge.after,
            count=max(1, self._counts.get(key, 1)),
            evidence=snapshot.signatures[op.signature].message if op.signature >= 0 else "",
        )


def _loop(snapshot: Snapshot, op: Op) -> str:
    """A cut on the border of a loop belongs to that loop."""
    loop = next((candidate for candidate in snapshot.loops if candidate.op == op.id), None)
    return loop.id if loop is not None else op.loop
