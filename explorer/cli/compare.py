"""``compare``: several strategies on one problem, as a table for a person, a document or a spreadsheet."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from explorer.cli.codes import FINDING, FLOWS
from explorer.cli.progress import Progress
from explorer.cli.request import case_of, files_of, refuse_unwritable
from explorer.cli.text import UNKNOWN, table
from explorer.codec.comparison import comparison_csv, comparison_document
from explorer.codec.document import to_json
from explorer.model.case import BadInput, Case
from explorer.model.comparison import Comparison, Row
from explorer.strategies.catalogue import STRATEGIES, get_strategy
from explorer.strategies.sweep import make_sweep
from explorer.usecases.compare import compare
from explorer.usecases.explore import Starter
from explorer.usecases.findings import findings

_HEAD = ["strategy", "verdict", "loops", "ops", "gradients", "trace s", "first s", "forward ms", "backward ms", "MB",
         "None", "XLA", "2nd"]  # fmt: skip
_SIGN = {"yes": "yes", "no": "no", "unknown": UNKNOWN}


def run_comparison(
    chosen: argparse.Namespace, engine: Callable[[], AbstractContextManager[Starter]], out: TextIO, err: TextIO
) -> int:
    """Run the command; the exit code says whether any gradient is lost or differs."""
    keys = list(dict.fromkeys(chosen.strategies)) or [row.key for row in STRATEGIES]
    dim, _, sizes = (chosen.sweep or "").partition("=")
    sweep = make_sweep(dim.strip(), sizes) if chosen.sweep else None
    ways = list(dict.fromkeys(chosen.way))
    if len(ways) > 1:
        raise BadInput("compare runs every strategy in one way: give --way once, or leave it out.")

    def make(key: str) -> Case:
        return case_of(chosen, key, ways[0] if ways else None)

    _refuse_what_all_refuse(keys, make)
    refuse_unwritable(files_of(chosen))
    progress = Progress(err)
    try:
        with engine() as running:
            found = compare(keys, make, running, progress.counted, sweep)
    finally:
        progress.clear()
    if chosen.json != "-":
        out.write(comparison_text(found))
    if chosen.json:
        text = to_json(comparison_document(found))
        out.write(text) if chosen.json == "-" else Path(chosen.json).write_text(text, encoding="utf-8")
    for file in map(Path, chosen.export):
        _export(found, file)
    if chosen.report:
        from explorer.report.files import report_of_comparison  # as with pictures: not before it is asked for

        report_of_comparison(found, Path(chosen.report), chosen.said)
    return FINDING if any(_is_finding(row) for row in found.rows) else FLOWS


def _export(comparison: Comparison, file: Path) -> None:
    kind = file.suffix.lower()
    if kind == ".csv":
        file.write_text(comparison_csv(comparison), encoding="utf-8")
    elif kind == ".json":
        file.write_text(to_json(comparison_document(comparison)), encoding="utf-8")
    else:
        # Here and not above: layout and drawing take longer to import than all the rest together.
        from explorer.export.pdf import pdf
        from explorer.export.png import png
        from explorer.export.poster import poster, scenes_of
        from explorer.layout.worker import place_in_child

        picture = poster(comparison, scenes_of(comparison, place_in_child))
        writers: dict[str, Callable[[str], bytes]] = {".png": png, ".pdf": pdf, ".svg": str.encode}
        file.write_bytes(writers[kind](picture))


def comparison_text(comparison: Comparison) -> str:
    """The table, the sentences that the table has no room for, and the recommendation."""
    rows = [_HEAD, *(_cells(row, comparison.reference) for row in comparison.rows)]
    told = [f"  {row.strategy}: {row.verdict}" for row in comparison.rows if not row.healthy or _is_finding(row)]
    for row in comparison.rows:
        told += [f"  {row.strategy}, {name}: {a.why}" for name, a in row.answers.items() if a.works == "no" and a.why]
    how = (
        f"Medians of {comparison.rounds} rounds in turns, each in a fresh process; first s is the warm-up, not in the "
        "medians."
    )
    return "\n".join([table(rows, ""), "", *told, "", how, comparison.reason, ""])


def _refuse_what_all_refuse(keys: list[str], make: Callable[[str], Case]) -> None:
    """What no strategy can take is the user's slip, and no finding about any of them."""
    refusals = []
    for key in keys:
        get_strategy(key)
        try:
            make(key)
        except BadInput as refusal:
            refusals.append(refusal)
    if len(refusals) == len(keys):
        raise refusals[0]


def _cells(row: Row, reference: str) -> list[str]:
    loops = " > ".join(loop.trip for loop in row.loops) or UNKNOWN
    verdict = f"{row.flowing} flow" if row.statuses and row.outcome == "done" else row.outcome
    return [
        row.strategy, verdict, loops, _number(row.ops, "d"),
        "reference" if row.strategy == reference else _agreement(row), _number(row.trace, ".2f"),
        _number(row.first, ".2f"), _number(row.forward, ".1f", 1000), _number(row.backward, ".1f", 1000),
        _number(row.memory, ".0f"), *(_SIGN[answer.works] for answer in row.answers.values()),
    ]  # fmt: skip


def _agreement(row: Row) -> str:
    if row.difference is None:
        return UNKNOWN
    return f"equal, {row.difference:.0e}" if row.agrees else f"DIFFER, {row.difference:.0e}"


def _number(value: float | None, form: str, factor: float = 1) -> str:
    return UNKNOWN if value is None else format(value * factor, form)


def _is_finding(row: Row) -> bool:
    """What a strategy refuses, in shapes or as a second derivative, is a cell of the table and no finding."""
    lost = row.explored is not None and bool(findings(replace(row.explored, second_order=None)))
    return lost or row.agrees is False
