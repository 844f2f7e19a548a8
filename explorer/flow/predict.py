"""Predicts, without a backward pass, which sources get a gradient, and what cuts it."""

from __future__ import annotations

from collections import Counter

from explorer.flow.answers import Answers
from explorer.flow.explain import cheapest_way, cuts
from explorer.flow.risks import loud_ops, risks
from explorer.flow.web import Edge, Web
from explorer.model.graph import Location, Op, Snapshot, Source
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


def _dropped(source: Source, ledger: _Ledger, given: bool) -> Prediction:
    """Data that goes nowhere: name the ops at which it ends."""
    web = ledger.web
    reached = web.reach([source.tensor], forward=True, carrying=False)
    ends = [t for t in reached if t != source.tensor and not web.out_of.get(t)]
    if not ends:
        return Prediction(source.name, "none-disconnected", given, "never_read")
    last = {web.edges[web.into[t][0]].op: web.edges[web.into[t][0]] for t in sorted(ends)}
    noted = [ledger.note(edge, "result_dropped") for edge in list(last.values())[:3]]
    return Prediction(source.name, "none-disconnected", given, "result_dropped", tuple(noted))


class _Ledger:
    """Barriers met so far: the same line met in every iteration of an unrolled loop is one barrier with a count."""

    def __init__(self, web: Web, whole: set[int], leads: set[int]) -> None:
        self.web, self.whole, self.leads = web, whole, leads
        self._by_key: dict[tuple, tuple[Edge, str]] = {}
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
            self._by_key[key] = (edge, f"b{len(self._by_key) + 1}")
        return self._by_key[key][1]

    def barriers(self) -> list[Barrier]:
        """All barriers noted, in the order they were met."""
        return [self._barrier(edge, name, key) for key, (edge, name) in self._by_key.items()]

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
            loop=_loop(self.web, op, edge),
            cause=cause,
            loud=(rule in ("lookup", "raises") or op.type == "PreventGradient") and edge.after in self.whole,
            location=_location(snapshot, op, edge),
            remedy=remedy(cause),
            before=edge.before,
            after=edge.after,
            count=max(1, self._counts.get(key, 1)),
            evidence=snapshot.signatures[op.signature].message if op.signature >= 0 else "",
        )


def _loop(web: Web, op: Op, edge: Edge) -> str:
    """A cut on the border of a loop belongs to that loop."""
    loop = next((candidate for candidate in web.snapshot.loops if candidate.op == op.id), None)
    return loop.id if loop is not None else op.loop


def _location(snapshot: Snapshot, op: Op, edge: Edge) -> Location | None:
    return snapshot.where(op.stack)
