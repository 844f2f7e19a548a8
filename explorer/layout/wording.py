"""The short texts on boxes and cards, and the long ones in their tooltips."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

from explorer.layout.sizes import NOT_COUNTED
from explorer.model.graph import Location, Loop, Op, Slot, Snapshot, Source
from explorer.model.verdict import Barrier, Exploration
from explorer.rules.causes import CAUSES
from explorer.rules.statuses import look


def place(location: Location | None) -> str:
    """``model.py:12``, or nothing where the line is not known."""
    return f"{PurePath(location.file).name}:{location.line}" if location else ""


def joined(parts: Iterable[str]) -> str:
    """Parts with a dot between, empty ones left out."""
    return " · ".join(part for part in parts if part)


def shape(dims: tuple[int | None, ...] | None) -> str:
    """``[None, 7, 10]``; a shape of unknown rank is a question mark."""
    return "[?]" if dims is None else "[" + ", ".join("None" if dim is None else str(dim) for dim in dims) + "]"


def trips(loop: Loop, exploration: Exploration) -> str:
    """How often the body runs: measured, else known statically, else the bound, else said to be unknown."""
    runs = exploration.trips.get(loop.id) or loop.runs
    if runs:
        low, high = min(runs), max(runs)
        times = "iteration" if high == 1 else "iterations"
        return f"{low} {times}" if low == high else f"{low} to {high} {times}"
    if loop.trips_static is not None:
        return f"{loop.trips_static} iterations"
    if loop.maximum_iterations is not None:
        return f"at most {loop.maximum_iterations} iterations"
    return NOT_COUNTED


def loop_title(loop: Loop, exploration: Exploration) -> str:
    """What made the loop; an unrolled one says so."""
    runs = exploration.trips.get(loop.id) or loop.runs
    if loop.kind != "python":
        return loop.api
    name = loop.api if loop.api.startswith("Python") else f"Python {loop.api}"
    return f"{name} × {runs[0]}" if runs and min(runs) == max(runs) else name


def short_name(op: Op, location: Location | None = None) -> str:
    """The last telling piece of an op's name; where that only repeats the type, its scope and its line."""
    pieces = [piece for piece in op.name.split("/") if piece]
    if pieces and not _repeats(pieces[-1], op.type):
        return pieces[-1]
    line = f"line {location.line}" if location else ""
    scopes = [piece for piece in pieces[:-1] if not re.fullmatch(r"(while|map|scan|body|cond)(_\d+)?", piece)]
    return joined((scopes[-1] if scopes else "", line))


def _repeats(name: str, kind: str) -> bool:
    """``strided_slice_5`` says no more than StridedSlice, ``add_1`` no more than AddV2."""
    plain = re.sub(r"(_\d+)+$", "", name).replace("_", "").lower()
    return plain in (kind.lower(), re.sub(r"V\d$", "", kind).lower())


def op_hint(snapshot: Snapshot, op: Op, status: str) -> str:
    """Everything about an op that fits a tooltip."""
    results = ", ".join(f"{snapshot.tensors[t].dtype} {shape(snapshot.tensors[t].shape)}" for t in op.outputs)
    return joined((op.type, op.name, results, place(snapshot.where(op.stack)), look(status).label))


def slot_hint(slot: Slot, status: str, kind: str) -> str:
    """Everything about a loop variable that fits a tooltip."""
    role = f"{slot.role}, value for the next iteration" if kind == "next" else slot.role
    return joined((slot.name, role, f"{slot.dtype} {shape(slot.shape)}", look(status).label))


def source_hint(source: Source, status: str, why: str) -> str:
    """Everything about a source that fits a tooltip."""
    return joined(
        (
            source.kind,
            source.name,
            f"{source.dtype} {shape(source.shape)}",
            place(source.location),
            look(status).label,
            why,
        )
    )


def cause(barrier: Barrier) -> str:
    """The cause as words."""
    return barrier.cause.replace("_", " ")


def stray_name(snapshot: Snapshot, barrier: Barrier) -> str:
    """What to call a barrier on no drawn op: the loop's condition, a loop variable, else the op's type."""
    if barrier.input < 0:
        return "loop condition"
    loop = next((loop for loop in snapshot.loops if loop.op == barrier.op), None)
    slot = next((slot for slot in loop.slots if slot.index == barrier.input), None) if loop else None
    return slot.name if slot and slot.name else barrier.op_type


def barrier_hint(barrier: Barrier) -> str:
    """Everything about a barrier that fits a tooltip: why in a sentence, and what to write instead."""
    row = CAUSES.get(barrier.cause)
    return joined((barrier_text(barrier), row.title if row else "", barrier.remedy))


def barrier_text(barrier: Barrier) -> str:
    """One line about a barrier: cause, op, line, and how often."""
    often = f"{barrier.count} times" if barrier.count > 1 else ""
    return joined((cause(barrier), f"at {barrier.op_type}", place(barrier.location), often))


def run_lines(ops: list[Op], elementwise: bool) -> tuple[str, str]:
    """The two lines of a card that stands for several ops."""
    kinds = ", ".join(
        kind for kind, _ in sorted(Counter(op.type for op in ops).items(), key=lambda row: (-row[1], row[0]))
    )
    return f"{len(ops)} {'element-wise ops' if elementwise else 'ops'}", kinds
