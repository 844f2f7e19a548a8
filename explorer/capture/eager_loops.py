"""The loops around recorded ops, and the values they carry from one iteration to the next."""

from __future__ import annotations

import os
from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from explorer.capture.builder import SnapshotBuilder
from explorer.capture.eager_records import Recorded, Recording
from explorer.capture.loop_sites import LoopSite, assigned_names
from explorer.capture.python_loops import Path, Run
from explorer.model.graph import Location, Loop, Role, Slot

_Mark = tuple[str, str, int, int]
"""An op's place in an iteration: type, line, how many like it came before, output."""


@dataclass
class EagerLoops:
    """The loops of one recording; ``ids`` maps the sites around an op to the loop's id."""

    builder: SnapshotBuilder
    recording: Recording
    ids: dict[Path, str] = field(default_factory=dict)

    def of(self, op: Recorded) -> str:
        """The id of the innermost loop around an op."""
        return self.ids[op.turns[-1][0].path] if op.turns else ""

    def add_slots(self, tensors: Mapping[int, int]) -> None:
        """Give each loop the variables it was seen to carry; ``tensors`` maps TensorFlow's ids to the Snapshot's."""
        carried = _carried(self.recording)
        for path, loop_id in self.ids.items():
            slots = _slots(self.recording, path, carried.get(path, {}), tensors)
            loop = next(known for known in self.builder.loops if known.id == loop_id)
            self.builder.replace_loop(replace(loop, slots=slots))


def describe_loops(builder: SnapshotBuilder, recording: Recording, runs: Mapping[Path, array]) -> EagerLoops:
    """Add all loops in which an op ran, parents first, with the trips of every run."""
    found = EagerLoops(builder, recording)
    for op in recording.ops:
        for depth in range(1, len(op.turns) + 1):
            path = op.turns[depth - 1][0].path
            if path not in found.ids:
                parent = found.ids[op.turns[depth - 2][0].path] if depth > 1 else ""
                _add_loop(found, path, parent, tuple(runs[path]))
    return found


def _add_loop(found: EagerLoops, path: Path, parent: str, trips: tuple[int, ...]) -> None:
    site = path[-1]
    python = site.kind != "tensorflow"
    api = site.kind if python else site.api
    place = f"@{os.path.basename(site.file)}:{site.line}" if site.file else ""
    loop_id = found.builder.loop_id(parent, api.replace(" ", "_") + place)
    found.ids[path] = loop_id
    maximum, parallel = found.recording.limits.get(site, (None, None))
    stack = found.builder.stack((Location(site.file, site.line, site.function),)) if site.file else -1
    found.builder.add_loop(
        Loop(
            id=loop_id,
            parent=parent or None,
            depth=0,
            kind="python" if python else "While",
            api=api,
            stack=stack,
            op=-1,
            slots=(),
            maximum_iterations=maximum,
            parallel_iterations=parallel,
            enters=True if all(trips) else None,
            runs=trips,
        )
    )


@dataclass
class _Carried:
    """A value that one iteration made and the next one used: ``(run, iteration that made it, tensor)``, each time."""

    seen: list[tuple[Run, int, int]] = field(default_factory=list)


def _carried(recording: Recording) -> dict[Path, dict[str, _Carried]]:
    """For each loop its carried values by name."""
    found: dict[Path, dict[str, _Carried]] = defaultdict(dict)
    for consumer in recording.ops:
        for tensor in consumer.inputs:
            position = recording.producer.get(tensor)
            if position is None:
                continue
            crossed = _crosses(recording.ops[position], consumer)
            if crossed is None:
                continue
            run, turn = crossed
            name = _name(recording, run.path, recording.ops[position], tensor)
            entry = found[run.path].setdefault(name, _Carried())
            if (run, turn, tensor) not in entry.seen[-4:]:
                entry.seen.append((run, turn, tensor))
    return found


def _crosses(producer: Recorded, consumer: Recorded) -> tuple[Run, int] | None:
    """The run of a loop that carried a value from ``producer`` to ``consumer``, and the iteration it was made in."""
    for (made_in, made), (used_in, used) in zip(producer.turns, consumer.turns, strict=False):
        if made_in is not used_in:
            return None
        if used == made + 1 < made_in.trips:  # not the test that ends a loop
            return made_in, made
        if used != made:
            return None
    return None


def _name(recording: Recording, path: Path, producer: Recorded, tensor: int) -> str:
    """The name an iteration knew the value by, else the one assigned where it was made, else the line."""
    known = recording.bound.get(path, {}).get(tensor)
    if known is not None:
        return known
    site: LoopSite = path[-1]
    for where in producer.stack:
        if where.file == site.file and site.lines[0] <= where.line <= site.lines[1]:
            assigned = assigned_names(where.file, where.line)
            return assigned[0] if len(assigned) == 1 else f"line {where.line}"
    return producer.type


def _slots(
    recording: Recording, path: Path, carried: Mapping[str, _Carried], tensors: Mapping[int, int]
) -> tuple[Slot, ...]:
    marks = _Marks(recording, path) if carried else None
    found = []
    for index, (name, entry) in enumerate(carried.items()):
        run, _, tensor = entry.seen[-1]
        kept = recording.tensors[tensor]
        number, entering = recording.entering.get(path, (-1, {}))
        first = next((key for key, known in entering.items() if known == name), -1) if number == run.number else -1
        following = marks.same_place(tensor, run, run.trips - 1) if marks else -1
        found.append(
            Slot(
                index=index,
                name=name,
                role=_role(recording, tensor),
                dtype=kept.dtype,
                shape=kept.shape,
                enters=tensors.get(first, -1),
                inside=tensors.get(tensor, -1),
                next=tensors.get(following, -1),
                leaves=tensors.get(following, -1),
            )
        )
    return tuple(found)


def _role(recording: Recording, tensor: int) -> Role:
    kept = recording.tensors[tensor]
    maker = recording.ops[recording.producer[tensor]]
    counts = kept.dtype.startswith(("int", "uint")) and kept.shape == () and maker.type in ("AddV2", "Add", "Sub")
    return "counter" if counts else "state"


class _Marks:
    """Finds in another iteration the tensor made at the same place as a given one."""

    def __init__(self, recording: Recording, path: Path) -> None:
        self._mark: dict[int, _Mark] = {}
        self._tensor: dict[tuple[int, int, _Mark], int] = {}
        depth, seen = len(path) - 1, Counter[tuple]()
        for op in recording.ops:
            if len(op.turns) <= depth or op.turns[depth][0].path != path:
                continue
            run, turn = op.turns[depth]
            line = str(op.stack[0]) if op.stack else ""
            count = seen[(run.number, turn, op.type, line)]
            seen[(run.number, turn, op.type, line)] += 1
            for output, tensor in enumerate(op.outputs):
                self._mark[tensor] = (op.type, line, count, output)
                self._tensor[(run.number, turn, self._mark[tensor])] = tensor

    def same_place(self, tensor: int, run: Run, turn: int) -> int:
        """The tensor that iteration ``turn`` made where another made ``tensor``, -1 where it did not get there."""
        return self._tensor.get((run.number, turn, self._mark[tensor]), -1)
