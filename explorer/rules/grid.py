"""A probe as a table of numbers: one row for each run of the loop, one column for each iteration.

The heat map of the page and the one in a file are painted from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from explorer.model.probes import Probe, ProbeRun
from explorer.model.verdict import Exploration
from explorer.rules.trends import number
from explorer.rules.watched import around, loop_line, titled

Cell = Literal["number", "zero", "nan", "inf", "not run"]
ODD: tuple[Cell, ...] = ("nan", "inf", "zero", "not run")
"""What no colour of the scale stands for."""


@dataclass(frozen=True)
class Grid:
    """``rows[r]`` names a run by the iterations of the loops around it, ``cells[r][c]`` is the norm of iteration c.

    It is None where that iteration did not run. ``across`` and ``down`` are the words for the axes; ``down`` is empty
    where there is one row only. ``held`` says which outer iterations are looked at, where not all are.
    """

    probe: Probe
    title: str
    loop: str
    rows: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]
    runs: tuple[ProbeRun | None, ...]
    across: str
    down: str
    held: str = ""

    @property
    def columns(self) -> int:
        """The largest number of iterations."""
        return max(map(len, self.cells), default=0)


def prefixes(probe: Probe) -> list[tuple[int, ...]]:
    """The iterations of all enclosing loops but the innermost of these, of which there are runs."""
    return sorted({run.outer[:-1] for run in probe.runs})


def grid(exploration: Exploration, probe: Probe, prefix: tuple[int, ...] | None = None) -> Grid:
    """The table of one probe; of the runs inside these outer iterations only, where a prefix is given."""
    snapshot = exploration.snapshot
    outer = around(snapshot, probe.loop) if snapshot else ()
    names = [f"{loop_line(snapshot, loop)}: iteration" for loop in outer] if snapshot else []
    runs = [run for run in probe.runs if prefix is None or run.outer[:-1] == prefix]
    rows, found, by_index = _rows(runs, _trips(exploration, outer), prefix)
    columns = max((len(run.norms) for run in runs), default=0)
    cells = tuple(
        tuple(run.norms[step] if run and step < len(run.norms) else None for step in range(columns)) for run in found
    )
    held = ", ".join(f"{name} {step}" for name, step in zip(names, prefix or (), strict=False))
    down = " / ".join(names[len(prefix or ()) :][-len(runs[0].outer) :]) if runs and runs[0].outer and by_index else ""
    loop = loop_line(snapshot, probe.loop) if snapshot else probe.loop
    down = "" if len(found) == 1 else down or "run"
    return Grid(probe, titled(probe), loop, tuple(rows), cells, tuple(found), f"{loop}: iteration", down, held)


def _trips(exploration: Exploration, outer: tuple[str, ...]) -> int:
    """How many iterations the loop right around has at most."""
    return max(exploration.trips.get(outer[-1], ()), default=0) if outer else 0


def _rows(
    runs: list[ProbeRun], trips: int, prefix: tuple[int, ...] | None
) -> tuple[list[str], list[ProbeRun | None], bool]:
    """Names and runs, with a gap where an outer iteration did not run the loop; by number where indices say nothing."""
    seen = {run.outer: run for run in runs}
    if len(seen) < len(runs):  # a function boundary can hide the outer iteration
        return [str(place) for place in range(len(runs))], [*runs], False
    if len(runs) < 2 and not (runs and runs[0].outer and trips > 1):
        return [_name(run.outer) for run in runs], [*runs], True
    depth = len(prefix) if prefix is not None else 0
    places: list[tuple[int, ...]] = []
    for before in sorted({outer[:-1] for outer in seen}):
        most = max(outer[-1] for outer in seen if outer[:-1] == before) + 1
        places += [(*before, step) for step in range(max(most, trips if len(before) == depth else 0))]
    return [_name(place[depth:]) for place in places], [seen.get(place) for place in places], True


def _name(outer: tuple[int, ...]) -> str:
    return ", ".join(map(str, outer))


def cell_kind(norm: float | None) -> Cell:
    """What a cell holds."""
    if norm is None:
        return "not run"
    if math.isnan(norm):
        return "nan"
    return "inf" if math.isinf(norm) else "zero" if norm == 0.0 else "number"


def cell_text(norm: float | None) -> str:
    """A cell in words."""
    return "not run" if norm is None else "exactly 0" if norm == 0.0 else number(norm)


def has_numbers(table: Grid) -> bool:
    """Whether the scale of colours stands for anything."""
    return any(cell_kind(norm) == "number" for row in table.cells for norm in row)


def log_range(table: Grid) -> tuple[float, float]:
    """Least and largest logarithm (to base 10), a little apart where all numbers are the same.

    A line gets at least a decade: noise must not look like a trend.
    """
    logs = [math.log10(norm) for row in table.cells for norm in row if norm is not None and cell_kind(norm) == "number"]
    if not logs:
        return 0.0, 1.0
    low, high = min(logs), max(logs)
    least, middle = 1.0 if len(table.rows) < 2 else 1e-6, (low + high) / 2
    return (low, high) if high - low >= least else (middle - 0.5, middle + 0.5)


def decades(low: float, high: float) -> list[float]:
    """Where to put ticks: whole powers of ten inside the range, at most six; the ends where there are not two."""
    whole = list(range(math.ceil(low), math.floor(high) + 1))
    if len(whole) < 2:
        return [low, high]
    return [float(each) for each in whole[:: math.ceil(len(whole) / 6)]]


def power(log: float) -> str:
    """Ten to this power, as a tick says it."""
    return f"1e{int(log)}" if log == int(log) and not -2 <= log <= 2 else f"{10**log:.2g}"


def column_profile(table: Grid) -> list[float | None]:
    """The geometric mean of each iteration over all runs, None where no number is to be had."""
    return [mean(row[step] for row in table.cells) for step in range(table.columns)]


def row_profile(table: Grid) -> list[float | None]:
    """The geometric mean of each run."""
    return [mean(row) for row in table.cells]


def mean(norms: Iterable[float | None]) -> float | None:
    """The geometric mean of those that are positive numbers."""
    logs = [math.log(norm) for norm in norms if norm is not None and cell_kind(norm) == "number"]
    return math.exp(math.fsum(logs) / len(logs)) if logs else None


def iteration_means(probe: Probe) -> list[float | None]:
    """The geometric mean of each iteration over all runs."""
    length = max((len(run.norms) for run in probe.runs), default=0)
    return [mean(run.norms[step] for run in probe.runs if step < len(run.norms)) for step in range(length)]
