"""What happened inside loops, for the result document: nested lists, one level per loop, the innermost last.

``shape`` is the number of iterations of every loop, outermost first; where the runs of an inner loop differ in length,
or a run did not take place, the places that are left over hold null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from explorer.model.graph import Snapshot
from explorer.model.probes import Health, LoopCost, Probe

Json = Any
Trips = Mapping[str, Sequence[int]]


def probe_document(probe: Probe, snapshot: Snapshot | None, trips: Trips) -> dict[str, Json]:
    """One tensor in one direction. ``op`` is the op that makes it, null where that is not known."""
    op = snapshot.ops[snapshot.tensors[probe.tensor].op].name if snapshot and probe.tensor >= 0 else None
    shape = _shape(probe, trips)
    return {
        "op": op,
        "name": probe.name,
        "loop": probe.loop,
        "direction": probe.direction,
        "slot": probe.slot if probe.slot >= 0 else None,
        "shape": shape,
        "norms": _nested(shape, {run.outer: list(run.norms) for run in probe.runs}),
        "start": _nested(shape[:-1], {run.outer: run.start for run in probe.runs}) if shape else None,
        "health": _health(probe, shape),
        "cut": probe.cut,
        "unobserved": probe.unobserved or None,
    }


def cost_document(cost: LoopCost) -> dict[str, Json]:
    """What one loop costs: seconds, stored values and bytes; null where not known."""
    return dict(vars(cost))


def _shape(probe: Probe, trips: Trips) -> list[int] | None:
    """Null where there are no runs. The trips of the loops around tell of runs that did not take place."""
    if not probe.runs:
        return None
    around = probe.loop.split("/")[:-1]
    if len(around) != len(probe.runs[0].outer):
        around = [""] * len(probe.runs[0].outer)
    known = [max(trips.get("/".join(around[: k + 1]), ()), default=0) for k in range(len(around))]
    seen = [1 + max(run.outer[k] for run in probe.runs) for k in range(len(around))]
    return [*map(max, known, seen), max(len(run.norms) for run in probe.runs)]


def _nested(shape: list[int] | None, values: Mapping[tuple[int, ...], Json], outer: tuple[int, ...] = ()) -> Json:
    """``values`` by the iterations around them as nested lists; a value that is a list fills the last level."""
    if shape is None:
        return None
    depth = len(next(iter(values)))
    if len(outer) < depth:
        return [_nested(shape, values, (*outer, k)) for k in range(shape[len(outer)])]
    value = values.get(outer)
    if len(shape) == depth:
        return value
    found = list(value or ())
    return found + [None] * (shape[-1] - len(found))


def _health(probe: Probe, shape: list[int] | None) -> Json:
    """Null where it was not measured."""
    health = {run.outer: run.health for run in probe.runs if run.health is not None}
    if not health:
        return None
    return {
        part: _nested(shape, {outer: list(getattr(each, part)) for outer, each in health.items()})
        for part in Health.__dataclass_fields__
    }
