"""Which loop did not end when the time limit was reached."""

from __future__ import annotations

from explorer.model.graph import Loop
from explorer.model.verdict import Exploration


def suspect(exploration: Exploration) -> Loop | None:
    """The loop that is known never to end, else the deepest one that nothing bounds."""
    snapshot, flow = exploration.snapshot, exploration.flow
    if snapshot is None:
        return None
    known = {risk.loop for risk in flow.risks if risk.cause == "endless_loop"} if flow else set()
    candidates = [loop for loop in snapshot.loops if loop.id in known] or [
        loop
        for loop in snapshot.loops
        if loop.trips_static is None and loop.maximum_iterations is None and loop.id not in exploration.trips
    ]
    return max(candidates, key=lambda loop: loop.depth) if candidates else None
