"""The result document, version 1: what ``--json`` writes and what scripts outside the project read.

Its keys are a contract: they may be added to, never renamed. Unknown is ``None``, never a made-up value; a list stays
a list when the run died before its stage, and the nulls in ``graph`` then say that nothing was traced. An op, loop
variable or barrier outside every loop has ``loop`` (or ``parent``) null. ``input`` of a barrier is the position of the
cut input, -1 for a loop's condition.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from explorer.codec.probes import cost_document, probe_document
from explorer.model.case import Case, InputSpec, Shape
from explorer.model.graph import Location, Loop, Slot, Snapshot
from explorer.model.verdict import (
    STAGES,
    BadNumber,
    Barrier,
    Exploration,
    Failure,
    GradientFlow,
    NumberCheck,
    Risk,
    SecondOrder,
    Status,
)
from explorer.rules.differences import differences

VERSION = 1

Json = Any
Document = dict[str, Json]


def document(exploration: Exploration) -> Document:
    """Everything known about one exploration, as values that strict JSON can hold."""
    snapshot, flow = exploration.snapshot, exploration.flow
    content = {
        "version": VERSION,
        "case": _case(exploration.case, exploration.way),
        "outcome": exploration.outcome,
        "error": _error(exploration.failure),
        "graph": _graph(snapshot),
        "loops": [_loop(exploration, snapshot, loop) for loop in snapshot.loops] if snapshot else [],
        "sources": _sources(exploration),
        "barriers": [_barrier(barrier) for barrier in flow.barriers] if flow else [],
        "disagreements": [
            {"source": each.source, "predicted": each.predicted, "measured": each.measured, "sentence": each.sentence}
            for each in exploration.disagreements
        ],
        "risks": [_risk(each) for each in flow.risks] if flow else [],
        "notes": list(exploration.notes),
        "probes": [probe_document(each, snapshot, exploration.trips) for each in exploration.probes],
        "costs": [cost_document(each) for each in exploration.costs],
        "numerics": [_bad_number(each) for each in exploration.numerics],
        "number_checks": [_number_check(each) for each in exploration.number_checks],
        "second_order": _second_order(exploration.second_order),
        "seconds": {stage: exploration.seconds.get(stage) for stage in (*STAGES, "total")},
        "memory": dict(exploration.memory),
        "device": exploration.surroundings.device or None,
        "versions": dict(exploration.surroundings.versions),
    }
    return strict(content)


def document_of_ways(explorations: Sequence[Exploration]) -> Document:
    """One document for several ways of running one case: the first at the top, each under ``ways``."""
    ways = {each.way or str(each.case.way): each for each in explorations}
    whole = document(explorations[0])
    whole["ways"] = {way: document(each) for way, each in ways.items()}
    whole["differences"] = [vars(each) for each in differences(ways)]
    return whole


def slot_gradient(snapshot: Snapshot, flow: GradientFlow | None, slot: Slot) -> Status | None:
    """Whether a gradient passes through a loop variable, judged at the tensor the body sees."""
    if flow is None or slot.inside < 0:
        return None
    if not snapshot.tensors[slot.inside].trainable:
        return "not-trainable"
    if slot.inside in flow.whole:
        return "flows"
    return "none-blocked" if slot.inside in flow.leads else "none-disconnected"


def to_json(content: Document) -> str:
    """The document as text; a NaN that escaped ``strict`` is an error here, not invalid JSON for the reader."""
    return json.dumps(content, allow_nan=False, ensure_ascii=False, indent=1) + "\n"


def strict(value: Json) -> Json:
    """The same value with NaN and the infinities as words, because JSON has no numbers for them."""
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return "NaN"
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: strict(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict(each) for each in value]
    return value


def _case(case: Case, way: str) -> Document:
    """``way`` is the one that ran, where that is known: the case may have left it to the target."""
    return {
        "target": case.target,
        "inputs": [_input(each) for each in case.inputs],
        "options": dict(case.options),
        "breaker": case.breaker,
        "wrt": list(case.wrt),
        "loss": case.loss,
        "device": case.device,
        "seed": case.seed,
        "timeout": case.timeout,
        "memory": case.memory,
        "way": way or case.way,
        "static_only": case.static_only,
        "second_order": case.second_order,
        "check_numbers": case.check_numbers,
        "probe": case.probe,
        "probe_ops": list(case.probe_ops),
    }


def _input(spec: InputSpec) -> Document:
    return {"name": spec.name, "shape": _shape(spec.shape), "dtype": spec.dtype, "size": _shape(spec.size)}


def _shape(shape: Shape | None) -> list[int | None] | None:
    return None if shape is None else list(shape)


def _place(location: Location | None) -> Document:
    return {"file": location.file if location else None, "line": location.line if location else None}


def _error(failure: Failure | None) -> Document | None:
    if failure is None:
        return None
    return {
        "type": failure.type,
        "message": failure.message,
        **_place(failure.location),
        "stage": failure.stage,
        "hint": failure.hint,
    }


def _graph(snapshot: Snapshot | None) -> Document:
    if snapshot is None:
        return {"ops": None, "functions": None, "control_flow": None}
    functions = sum(graph.kind != "root" for graph in snapshot.graphs)
    return {"ops": len(snapshot.ops), "functions": functions, "control_flow": snapshot.control_flow}


def _loop(exploration: Exploration, snapshot: Snapshot, loop: Loop) -> Document:
    trips = exploration.trips.get(loop.id, loop.runs)
    return {
        "id": loop.id,
        "parent": loop.parent or None,
        "depth": loop.depth,
        "kind": loop.kind,
        "api": loop.api,
        **_place(snapshot.where(loop.stack)),
        "trips_static": loop.trips_static,
        "trips_measured": None if trips is None else list(trips),
        "parallel_iterations": loop.parallel_iterations,
        "maximum_iterations": loop.maximum_iterations,
        "slots": [_slot(snapshot, exploration.flow, slot) for slot in loop.slots],
        "backward": None,
    }


def _slot(snapshot: Snapshot, flow: GradientFlow | None, slot: Slot) -> Document:
    return {
        "index": slot.index,
        "name": slot.name,
        "role": slot.role,
        "dtype": slot.dtype,
        "shape": _shape(slot.shape),
        "gradient": slot_gradient(snapshot, flow, slot),
    }


def _sources(exploration: Exploration) -> list[Document]:
    if exploration.snapshot is None:
        return []
    predictions = {each.source: each for each in exploration.flow.predictions} if exploration.flow else {}
    measurements = {each.source: each for each in exploration.run.measurements} if exploration.run else {}
    conclusions = {each.source: each for each in exploration.conclusions}
    rows = []
    for source in exploration.snapshot.sources:
        prediction, measurement = predictions.get(source.name), measurements.get(source.name)
        conclusion = conclusions.get(source.name)
        rows.append(
            {
                "name": source.name,
                "kind": source.kind,
                "dtype": source.dtype,
                "shape": _shape(source.shape),
                "predicted": prediction.predicted if prediction else None,
                "measured": measurement.measured if measurement else "unobserved",
                "status": conclusion.status if conclusion else None,
                "norm": measurement.norm if measurement else None,
                "barriers": list(prediction.barriers) if prediction else [],
                "cause": prediction.cause if prediction else None,
                "why": conclusion.why if conclusion else "",
                **_place(source.location),
            }
        )
    return rows


def _barrier(barrier: Barrier) -> Document:
    return {
        "id": barrier.id,
        "op": barrier.op_name,
        "op_type": barrier.op_type,
        "input": barrier.input,
        "loop": barrier.loop or None,
        "cause": barrier.cause,
        "loud": barrier.loud,
        **_place(barrier.location),
        "remedy": barrier.remedy,
        "count": barrier.count,
    }


def _risk(risk: Risk) -> Document:
    return {
        "cause": risk.cause,
        "op_type": risk.op_type,
        "loop": risk.loop or None,
        **_place(risk.location),
        "sentence": risk.sentence,
    }


def _number_check(check: NumberCheck) -> Document:
    """``agrees`` null: it could not be judged."""
    return {
        "source": check.source,
        "agrees": check.agrees,
        "error": check.error,
        "coordinates": check.coordinates,
        "sentence": check.sentence,
    }


def _second_order(second: SecondOrder | None) -> Document | None:
    """Null where it was not asked for."""
    if second is None:
        return None
    rows = [{"name": each.source, "measured": each.measured, "norm": each.norm} for each in second.measurements]
    return {"sources": rows, "error": _error(second.failure)}


def _bad_number(bad: BadNumber) -> Document:
    return {
        "kind": bad.kind,
        "phase": bad.phase,
        "op": bad.op_name,
        "op_type": bad.op_type,
        "loop": bad.loop or None,
        "cause": bad.cause,
        **_place(bad.location),
        "sentence": bad.sentence,
    }
