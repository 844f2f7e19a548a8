"""The comparison as a document (``compare --json``) and as a table for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from explorer.codec.document import VERSION, Document, strict
from explorer.model.comparison import Answer, Comparison, Row

SECONDS = ("build", "trace", "first", "forward", "backward")


def comparison_document(comparison: Comparison) -> Document:
    """One row per strategy; unknown is None. ``done`` and ``total`` count runs: a whole comparison has them equal."""
    content = {
        "version": VERSION,
        "reference": comparison.reference or None,
        "recommended": comparison.recommended or None,
        "reason": comparison.reason or None,
        "done": comparison.done,
        "total": comparison.total,
        "sweep": {"dim": comparison.sweep.dim, "sizes": list(comparison.sweep.sizes)} if comparison.sweep else None,
        "rows": [_row(row) for row in comparison.rows],
    }
    whole: Document = strict(content)
    return whole


def comparison_csv(comparison: Comparison) -> str:
    """One line per strategy, with a head line; seconds as numbers, loops as ``api 3 > api 7``."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = sources(comparison.rows)
    writer.writerow(
        ["strategy", "title", "family", "way", "outcome", "verdict", "loops", "depth", "control_flow", "ops", *names,
         "difference", "agrees", *SECONDS, "memory_mb", "none_dims", "xla", "second_order", "recommended"]
    )  # fmt: skip
    for row in comparison.rows:
        loops = " > ".join(f"{loop.api} {loop.trip}" for loop in row.loops)
        answers = [answer.works for answer in row.answers.values()]
        writer.writerow(
            [row.strategy, row.title, row.family, row.way, row.outcome, row.verdict, loops, row.depth, row.control_flow,
             row.ops, *(row.statuses.get(name, "") for name in names), row.difference, row.agrees,
             *(getattr(row, name) for name in SECONDS), row.memory, *answers, row.strategy == comparison.recommended]
        )  # fmt: skip
    return text.getvalue()


def sources(rows: Sequence[Row]) -> list[str]:
    """The names of all sources, in the order in which they first appear."""
    return list(dict.fromkeys(name for row in rows for name in row.statuses))


def _row(row: Row) -> Document:
    return {
        **{name: getattr(row, name) for name in ("strategy", "title", "family", "way", "outcome", "verdict")},
        "loops": [
            {"id": loop.id, "depth": loop.depth, "api": loop.api, "trips": list(loop.trips) if loop.trips else None}
            for loop in row.loops
        ],
        "depth": row.depth,
        "control_flow": row.control_flow,
        "ops": row.ops,
        "sources": [
            {"name": name, "status": status, "norm": row.norms.get(name)} for name, status in row.statuses.items()
        ],
        "gradients": {"relative_difference": row.difference, "equal": row.agrees},
        "seconds": {name: getattr(row, name) for name in SECONDS},
        "measured": {"rounds": row.rounds, "repeats": row.repeats, "warm_up": "first"},
        "swept": [{"size": size, "seconds": seconds} for size, seconds in row.swept],
        "memory_mb": row.memory,
        "none_dims": _answer(row.none_dims),
        "xla": _answer(row.xla),
        "second_order": _answer(row.second_order),
    }


def _answer(answer: Answer) -> Document:
    return {"works": None if answer.works == "unknown" else answer.works == "yes", "why": answer.why or None}
