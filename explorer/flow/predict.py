"""Predicts, without a backward pass, which sources get a gradient, and what cuts it."""

from __future__ import annotations

from explorer.flow.answers import Answers
from explorer.flow.departures import came_back, went_to_python
from explorer.flow.explain import cheapest_way, cuts
from explorer.flow.ledger import Ledger
from explorer.flow.risks import loud_ops, risks
from explorer.flow.twice import loops_twice
from explorer.flow.web import Web
from explorer.model.graph import Op, Snapshot, Source
from explorer.model.verdict import GradientFlow, Prediction

_DISCONNECTING = ("shape_only", "replaced_each_iteration")


def predict(snapshot: Snapshot) -> GradientFlow:
    """The prediction for every source of a Snapshot."""
    web = Web(snapshot)
    whole = web.reach(snapshot.losses, forward=False, carrying=True)
    whole -= {source.tensor for source in snapshot.sources if source.unwatched is not None}
    leads = web.reach(snapshot.losses, forward=False, carrying=False)
    answers = Answers(snapshot)
    answered = answers.given(snapshot.losses)
    ledger = Ledger(web, whole, leads)
    predictions = [_predict_source(source, ledger, answered) for source in snapshot.sources]
    loud = loud_ops(web, answers.arrived)
    twice = loops_twice(web, answers.arrived)
    if loud or twice:  # one missing rule on the way makes the whole backward pass raise
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
        risks=(*risks(web, whole), *twice),
    )


def _predict_source(source: Source, ledger: Ledger, answered: set[int]) -> Prediction:
    web, node = ledger.web, source.tensor
    if not source.trainable:
        return Prediction(source.name, "not-trainable", False, "not_trainable")
    if node < 0:
        return _unread(source, ledger, False)
    if source.unwatched is not None and node in ledger.leads:
        barrier = ledger.note_unseen("not_watched", source.unwatched, "tape")
        return Prediction(source.name, "none-blocked", False, "not_watched", (barrier,))
    given = node in answered
    if node in ledger.whole:
        return Prediction(source.name, "flows", given)
    left = went_to_python(source, ledger)
    if left is not None:
        apart = left[0] in _DISCONNECTING  # its shape decides something, its values do not
        return Prediction(source.name, "none-disconnected" if apart else "none-blocked", given, *left)
    if node not in ledger.leads:
        return _dropped(source, ledger, given)
    way = cheapest_way(web, node, set(web.snapshot.losses), ledger.leads) or []
    edges = cuts(web, way, ledger.whole)
    causes = [e.cause or "opaque" for e in edges]
    cut = next((c for c in causes if c in _DISCONNECTING), None)
    return Prediction(
        source.name,
        "none-disconnected" if cut else "none-blocked",
        given,
        "replaced_each_iteration" if "replaced_each_iteration" in causes else causes[0] if causes else "opaque",
        tuple(dict.fromkeys(ledger.note(e) for e in edges)),
    )


def _upkeep(snapshot: Snapshot, source: Source, op: Op) -> bool:
    """Whether TensorFlow itself put an op beside a variable of a TF1 graph: is it initialised, and a first read."""
    made = snapshot.ops[snapshot.tensors[source.tensor].op]
    alike = op.stack == made.stack and op.inputs[:1] == made.outputs[:1] and snapshot.control_flow != "eager"
    return alike and op.type in ("VarIsInitializedOp", "IsVariableInitialized", "ReadVariableOp", "Identity")


def _unread(source: Source, ledger: Ledger, given: bool) -> Prediction:
    """Never read in the program; perhaps a copy was made before it ran, which the program then uses as a constant."""
    if source.copied is None:
        return Prediction(source.name, "none-disconnected", given, "never_read")
    barrier = ledger.note_unseen("outside_tape", source.copied, "copy")
    return Prediction(source.name, "none-blocked", given, "outside_tape", (barrier,))


def _ends(web: Web, ends: list[int]) -> list[int]:
    """Those of the tensors without a reader that are worth telling, all where none is.

    What a loop only passes through comes out of it unread, its condition is shown every loop variable, and a shape or
    an index that is asked for beside the values says little.
    """
    snapshot = web.snapshot
    shown = {slot.leaves for loop in snapshot.loops for slot in loop.slots if slot.role == "invariant"}
    shown |= {tensor for graph in snapshot.graphs if graph.kind == "cond" for tensor in graph.inputs}
    return [t for t in ends if t not in shown and web.trainable(t)] or ends


def _dropped(source: Source, ledger: Ledger, given: bool) -> Prediction:
    """Data that goes nowhere: name the ops at which it ends."""
    web = ledger.web
    reached = web.reach([source.tensor], forward=True, carrying=False)
    ends = _ends(web, [t for t in reached if t != source.tensor and not web.out_of.get(t)])
    if not ends:
        return _unread(source, ledger, given)
    last = {web.edges[web.into[t][0]].op: web.edges[web.into[t][0]] for t in sorted(ends)}
    edges = [e for e in last.values() if not _upkeep(web.snapshot, source, web.snapshot.ops[e.op])][:3]
    if not edges:
        return _unread(source, ledger, given)
    if web.snapshot.control_flow == "eager":
        # NumPy functions read a tensor through the buffer protocol, which no hook sees
        gone = [e for e in edges if web.trainable(e.after) and came_back(ledger, e.after)]
        if gone:
            noted = [ledger.note(edge, "left_tensorflow") for edge in gone]
            return Prediction(source.name, "none-blocked", given, "left_tensorflow", tuple(noted))
    dropped = tuple(dict.fromkeys(ledger.note(edge, "result_dropped") for edge in edges))
    return Prediction(source.name, "none-disconnected", given, "result_dropped", dropped)
