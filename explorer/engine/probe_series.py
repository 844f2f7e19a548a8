"""From the records of a probed run to one Probe per watched tensor and direction, in the terms of the Snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from explorer.engine import probe_numbers
from explorer.engine.probe_sites import STORED, Pick, Record, Site, WatchedLoop, is_named
from explorer.model.graph import Loop, Slot, Snapshot
from explorer.model.probes import Probe, ProbeRun
from explorer.rules.ops import LIST_WRITES

FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
_NOT_SEEN = "The loop was not built anew in the probed run, so that nothing in it could be watched."
_SHARED = "One function holds this loop and is called at several places: their runs cannot be told apart."
_HIDDEN = "A tf.function is called inside a loop: which iteration called it cannot be told."
_NEVER = "The loop never ran."
_NO_GRADIENT = "No gradient is taken through this loop variable."
_NO_OP_GRADIENT = "No gradient comes back to it."
_COMPLEX = "It holds complex numbers: norms are taken of real floating-point tensors."
_IN_BRANCH = "It is inside a branch of a cond, or in a function called there: only ops of the loop's own body are seen."


@dataclass
class Runs:
    """All runs of one site by the iterations around it; ``told_apart`` False where two have the same."""

    found: dict[tuple[int, ...], Record] = field(default_factory=dict)
    told_apart: bool = True


def by_site(records: Iterable[Record]) -> dict[int, Runs]:
    """The records of every site."""
    sites: dict[int, Runs] = {}
    for record in records:
        runs = sites.setdefault(record.site, Runs())
        runs.told_apart &= record.outer not in runs.found
        runs.found[record.outer] = record
    return sites


@dataclass(frozen=True)
class Series:
    """What a probed run found, for the loops of one snapshot. ``loops`` by id; a loop missing there was not seen."""

    snapshot: Snapshot
    loops: dict[str, WatchedLoop]
    runs: dict[int, Runs]

    def trips(self) -> dict[str, tuple[int, ...]]:
        """Trips of the loops whose runs can be told apart, one number per run in order."""
        sure = {loop: found for loop, found in self.loops.items() if not self.obstacle(loop)}
        return {
            loop: tuple(record.trips for _, record in sorted(self._runs(found.forward).found.items()))
            for loop, found in sure.items()
        }

    def obstacle(self, loop: str) -> str:
        """Why nothing of a loop is known, "" where something is."""
        watched = self.loops.get(loop)
        if watched is None or (watched.forward is None and not watched.why_not):
            return _NOT_SEEN
        if watched.why_not or watched.forward is None:
            return watched.why_not
        if sum(other is watched for other in self.loops.values()) > 1:
            return _SHARED
        return _HIDDEN if watched.forward.hidden or not self._runs(watched.forward).told_apart else ""

    def complete(self) -> bool:
        """Whether every loop is seen but those that no other try would show."""
        return all(self.obstacle(loop.id) not in (_NOT_SEEN, _SHARED, _HIDDEN) for loop in self.snapshot.loops)

    def bytes_stored(self) -> dict[str, int]:
        """The bytes that one iteration keeps, where they were measured: the most that any did."""
        found = {}
        for loop, watched in self.loops.items():
            runs = self._read(self._ran(watched.backward), STORED) if not self.obstacle(loop) else ()
            sizes = [norm for run in runs for norm in run.norms]
            found.update({loop: round(max(sizes))} if sizes else {})
        return found

    def probes(self, ops: Sequence[str]) -> tuple[Probe, ...]:
        """Every carried state and written item, forward and backward, then the ops asked for."""
        return tuple(probe for loop in self.snapshot.loops for probe in self._of_loop(loop, ops))

    def _of_loop(self, loop: Loop, ops: Sequence[str]) -> Iterator[Probe]:
        watched = self.loops.get(loop.id)
        picks = {pick.slot: pick for pick, _ in watched.picks if pick.kind != "op"} if watched else {}
        for slot in loop.slots:
            pick = picks.get(slot.index)
            if pick is None and slot.role != "state":
                continue
            if pick is None and slot.dtype not in FLOATS:
                if slot.dtype.startswith("complex"):
                    yield from self._both(loop, slot.name, None, _COMPLEX, slot.index, slot.next)
                continue
            tensor = slot.next if pick is None or pick.kind != "item" else _item(self.snapshot, slot)
            yield from self._both(loop, slot.name, pick, "", slot.index, tensor)
        for name, pick, reason, tensor in self._ops(loop, watched, ops):
            yield from self._both(loop, name, pick, reason, -1, tensor)

    def _ops(
        self, loop: Loop, watched: WatchedLoop | None, wanted: Sequence[str]
    ) -> Iterator[tuple[str, Pick | None, str, int]]:
        for op in self.snapshot.ops:
            if op.loop != loop.id or not any(is_named(op.name, name) for name in wanted):
                continue
            pick = Pick("op", op=op.name)
            own = self.snapshot.graphs[op.graph].kind == "body"
            refused = watched.refused.get(pick, "") if watched and own else "" if own else _IN_BRANCH
            seen = watched is not None and any(pick == each for each, _ in watched.picks)
            yield op.name, pick if seen and own else None, refused, op.outputs[0] if op.outputs else -1

    def _both(
        self, loop: Loop, name: str, pick: Pick | None, reason: str, slot: int, tensor: int
    ) -> tuple[Probe, Probe]:
        """The probe in both directions."""
        reason = reason or self.obstacle(loop.id)
        watched = self.loops.get(loop.id)
        forward: tuple[ProbeRun, ...] = ()
        backward: tuple[ProbeRun, ...] = ()
        cut = bool(watched and pick in watched.cut)
        why_forward = why_backward = reason or _NOT_SEEN
        if not reason and watched is not None and pick is not None:
            forward = self._read(watched.forward, pick)
            backward = self._read(self._ran(watched.backward), pick)
            none = _NO_OP_GRADIENT if pick.kind == "op" else _NO_GRADIENT
            why_forward, why_backward = _NEVER, none if forward else _NEVER
        return (
            Probe(loop.id, name, "forward", slot, tensor, forward, "" if forward else why_forward),
            Probe(loop.id, name, "backward", slot, tensor, backward, "" if backward else why_backward, cut),
        )

    def _ran(self, sites: Sequence[Site]) -> Site | None:
        """A loop can be differentiated in several graphs, most of which never run."""
        ran = [site for site in sites if site.number in self.runs]
        return ran[0] if len(ran) == 1 else None

    def _runs(self, site: Site | None) -> Runs:
        return self.runs.get(site.number, Runs()) if site is not None else Runs()

    def _read(self, site: Site | None, pick: Pick) -> tuple[ProbeRun, ...]:
        if site is None or pick not in site.picks or site.hidden or not self._runs(site).told_apart:
            return ()
        column = list(site.picks).index(pick)
        return tuple(
            _run(outer, record.rows[:, column], site, pick) for outer, record in sorted(self._runs(site).found.items())
        )


def _run(outer: tuple[int, ...], rows: np.ndarray, site: Site, pick: Pick) -> ProbeRun:
    """One run from the rows as reported, [trips + 1, columns]."""
    first, rest = rows[:1], rows[1:]
    if site.direction == "backward":
        rest = rest[::-1]
        if pick.kind == "passed":  # what came in belongs to the last iteration, what went out to the initial value
            rows = np.concatenate([rest, first])
            first, rest = rows[:1], rows[1:]
    numbers = probe_numbers.read(rest, site.summary)
    start = probe_numbers.read(first, site.summary).norms[0] if pick in site.ends else None
    return ProbeRun(outer, numbers.norms, start, numbers.health)


def _item(snapshot: Snapshot, slot: Slot) -> int:
    """The tensor that an iteration writes to a list, -1 where the body shows none."""
    tensor = slot.next
    while tensor >= 0:
        op = snapshot.ops[snapshot.tensors[tensor].op]
        if op.type == "Identity":
            tensor = op.inputs[0]
        else:
            place = LIST_WRITES.get(op.type)
            return -1 if place is None else op.inputs[place]
    return -1
