"""An exploration as text for a person: verdict, loops, sources, barriers, iterations."""

from __future__ import annotations

import os
from collections.abc import Sequence

from explorer.cli.iterations import iterations_text
from explorer.cli.progress import DOING
from explorer.codec.document import document
from explorer.model.case import Shape
from explorer.model.graph import Location, Loop
from explorer.model.verdict import Barrier, Exploration, Failure
from explorer.rules.sentence import verdict

UNKNOWN = "-"


def describe(exploration: Exploration) -> str:
    """The whole answer; parts that have nothing to say are left out."""
    parts = [_headline(exploration), _warnings(exploration), _loops(exploration), _sources(exploration)]
    parts += [
        _barriers(exploration),
        iterations_text(exploration),
        _numerics(exploration),
        _number_checks(exploration),
        _second_order(exploration),
    ]
    parts += [_remarks(exploration)]
    return "\n\n".join(part for part in parts if part) + "\n"


def table(rows: Sequence[Sequence[str]], indent: str = "  ") -> str:
    """Rows in columns wide enough for their longest word."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(indent + line for line in lines)


def shape_text(shape: Shape | Sequence[int | None] | None) -> str:
    """A shape as ``--input`` takes it."""
    if shape is None:
        return "unknown"
    return ",".join(map(str, shape)) or "scalar"


def place_text(location: Location | None) -> str:
    """``file:line``, from the current folder where that is shorter."""
    if location is None:
        return UNKNOWN
    try:
        near = os.path.relpath(location.file)
    except ValueError:  # another drive, on Windows
        near = location.file
    return f"{min(near, location.file, key=len)}:{location.line}"


def trips_text(runs: Sequence[int] | None, static: int | None) -> str:
    """How often a loop ran: measured where that is known, else what the graph says."""
    if not runs:
        return f"{static} trips in the graph" if static is not None else "trips not known"
    if len(set(runs)) > 1:
        return f"{min(runs)} to {max(runs)} trips in {len(runs)} runs"
    trips = f"{runs[0]} trip{'' if runs[0] == 1 else 's'}"
    return trips if len(runs) == 1 else f"{trips} in each of {len(runs)} runs"


def _headline(exploration: Exploration) -> str:
    target = exploration.case.target
    way = f", {exploration.way}" if exploration.way else ""
    took = exploration.seconds.get("total")
    spent = f" in {took:.2f} s" if took is not None else ""
    outcome = (exploration.outcome or "running").replace("_", " ")
    lines = [verdict(exploration), f"({target}{way}: {outcome}{spent})"]
    if exploration.failure is not None:
        lines.append(_failure(exploration.failure))
    return "\n".join(lines)


def _failure(failure: Failure) -> str:
    at = f" ({place_text(failure.location)})" if failure.location else ""
    return f"{failure.type} while {DOING[failure.stage]}: {failure.message}{at}"


def _warnings(exploration: Exploration) -> str:
    """What is known to go wrong on such paths, and what was seen beside the verdict."""
    risks = exploration.flow.risks if exploration.flow else ()
    lines = [f"Risk{f' at {place_text(r.location)}' if r.location else ''}: {r.sentence}" for r in risks]
    return "\n".join(dict.fromkeys([*lines, *exploration.notes]))


def _loops(exploration: Exploration) -> str:
    snapshot = exploration.snapshot
    if snapshot is None:
        return ""
    if not snapshot.loops:
        return "No loops."

    def row(loop: Loop) -> list[str]:
        name = "  " * (loop.depth - 1) + loop.id.rpartition("/")[2]
        runs = exploration.trips.get(loop.id, loop.runs)
        made = f"{loop.api} ({loop.kind})"
        return [name, made, place_text(snapshot.where(loop.stack)), trips_text(runs, loop.trips_static)]

    return "Loops\n" + table([row(loop) for loop in snapshot.loops])


def _sources(exploration: Exploration) -> str:
    rows = document(exploration)["sources"]
    if not rows:
        return ""
    head = ["name", "kind", "dtype", "shape", "predicted", "measured", "status", "norm"]
    lines = [
        [
            *(row["name"], row["kind"], row["dtype"], shape_text(row["shape"])),
            *(row[key] or UNKNOWN for key in ("predicted", "measured", "status")),
            _number(row["norm"]),
        ]
        for row in rows
    ]
    return "Sources\n" + table([head, *lines])


def _number(value: float | str | None) -> str:
    if value is None:
        return UNKNOWN
    return value if isinstance(value, str) else f"{value:.4g}"


def _barriers(exploration: Exploration) -> str:
    barriers = exploration.flow.barriers if exploration.flow else ()
    return "Barriers\n" + "\n".join(map(_barrier, barriers)) if barriers else ""


def _barrier(barrier: Barrier) -> str:
    loop = f", loop {barrier.loop}" if barrier.loop else ""
    often = f", met {barrier.count} times" if barrier.count > 1 else ""
    loud = ", TensorFlow raises" if barrier.loud else ""
    where = place_text(barrier.location) if barrier.location else barrier.op_name  # no lines: its name scopes
    at = f"{barrier.op_type}, {where}{loop}{often}{loud}"
    return f"  {barrier.id}  {barrier.cause} at {at}\n      {barrier.remedy}"


def _numerics(exploration: Exploration) -> str:
    rows = [
        f"  {each.cause} at {each.op_type or each.op_name}, {place_text(each.location)}"
        + (f", loop {each.loop}" if each.loop else "")
        + f"\n      {each.sentence}"
        for each in exploration.numerics
    ]
    return "\n".join(["NaN and Inf", *rows]) if rows else ""


def _number_checks(exploration: Exploration) -> str:
    signs = {True: "agrees", False: "WRONG", None: UNKNOWN}
    rows = [[signs[each.agrees], each.sentence] for each in exploration.number_checks]
    return "Finite differences\n" + table(rows) if rows else ""


def _second_order(exploration: Exploration) -> str:
    second = exploration.second_order
    if second is None:
        return ""
    if second.failure is not None:
        hint = f"\n      {second.failure.hint}" if second.failure.hint else ""
        return f"Second order\n  {_failure(second.failure)}{hint}"
    rows = [[each.source, each.measured, _number(each.norm)] for each in second.measurements]
    return "Second order (gradient of the squared norm of all gradients)\n" + table(rows) if rows else ""


def _remarks(exploration: Exploration) -> str:
    return "\n".join(f"Disagreement: {each.sentence}" for each in exploration.disagreements)
