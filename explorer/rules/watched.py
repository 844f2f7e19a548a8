"""What was watched inside the loops, as the reader asks for it: by loop, by variable, and which to show first."""

from __future__ import annotations

from explorer.model.graph import Loop, Slot, Snapshot
from explorer.model.probes import Direction, Probe
from explorer.model.verdict import Exploration
from explorer.rules.trends import LEAST, Trend, trend


def loop_line(snapshot: Snapshot, loop_id: str) -> str:
    """``map_fn, line 30``: a loop as the reader wrote it; its id where nothing better is known."""
    loop = snapshot.loop(loop_id)
    if loop is None:
        return loop_id
    where = snapshot.where(loop.stack)
    return f"{loop.api}, line {where.line}" if where else loop.api


def around(snapshot: Snapshot, loop_id: str) -> tuple[str, ...]:
    """The ids of the loops around a loop, outermost first."""
    found: list[str] = []
    loop = snapshot.loop(loop_id)
    while loop is not None and loop.parent:
        found.insert(0, loop.parent)
        loop = snapshot.loop(loop.parent)
    return tuple(found)


def tree(loops: tuple[Loop, ...], parent: str | None = None) -> list[Loop]:
    """Each loop followed by those inside it."""
    return [each for loop in loops if (loop.parent or None) == parent for each in (loop, *tree(loops, loop.id))]


def watched_loops(exploration: Exploration) -> list[Loop]:
    """The loops of which anything was watched, each followed by those inside it."""
    known = {probe.loop for probe in exploration.probes}
    return [loop for loop in tree(exploration.snapshot.loops) if loop.id in known] if exploration.snapshot else []


def probes_of(exploration: Exploration, loop_id: str, direction: Direction | None = None) -> list[Probe]:
    """The probes of one loop, those worth looking at first in front: seen before unseen, states before lists."""
    chosen = [p for p in exploration.probes if p.loop == loop_id and direction in (None, p.direction)]
    return sorted(chosen, key=lambda probe: (not _seen(probe), not is_carried(exploration, probe)))


def main_probe(exploration: Exploration, loop_id: str, direction: Direction = "backward") -> Probe | None:
    """The probe that speaks for a loop: its first state whose gradient is not zero throughout, else its first."""
    chosen = probes_of(exploration, loop_id, direction)
    lively = (probe for probe in chosen if any(norm != 0.0 for run in probe.runs for norm in run.norms))
    return next(lively, chosen[0] if chosen else None)


def is_carried(exploration: Exploration, probe: Probe) -> bool:
    """Whether an iteration's value comes from the one before: not so for the items of a list."""
    slot = slot_of(exploration, probe)
    return slot is None or slot.role != "accumulator"


def slot_of(exploration: Exploration, probe: Probe) -> Slot | None:
    """The loop variable that is watched, None where it is another tensor."""
    loop = exploration.snapshot.loop(probe.loop) if exploration.snapshot else None
    return next((slot for slot in loop.slots if slot.index == probe.slot), None) if loop else None


def dtype_of(exploration: Exploration, probe: Probe) -> str:
    """The type of what is watched; float32 where it is not known (the items of a list)."""
    snapshot, slot = exploration.snapshot, slot_of(exploration, probe)
    if snapshot is not None and 0 <= probe.tensor < len(snapshot.tensors):
        found = snapshot.tensors[probe.tensor].dtype
    else:
        found = slot.dtype if slot else ""
    found = found.removesuffix("_ref")  # TF1 variables
    return found if found in LEAST else "float32"


def trend_of(exploration: Exploration, probe: Probe) -> Trend:
    """The trend of a probe of this exploration."""
    return trend(probe, dtype_of(exploration, probe), is_carried(exploration, probe))


def titled(probe: Probe) -> str:
    """``gradient of h`` or ``value of h``."""
    return f"{'gradient' if probe.direction == 'backward' else 'value'} of {probe.name}"


def _seen(probe: Probe) -> bool:
    return any(run.norms for run in probe.runs)
