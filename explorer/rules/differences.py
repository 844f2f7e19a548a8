"""Where one program behaves differently in the ways it can be run, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from explorer.model.verdict import Exploration
from explorer.rules.sentence import listed

_NAMES = {"eager": "eagerly", "graph": "in tf.function", "xla": "under XLA", "tf1": "in a TF1 graph"}
_ENDED = {
    "done": "finishes",
    "raised": "raises",
    "crashed": "crashes the process",
    "timed_out": "runs into the time limit",
    "out_of_memory": "runs out of memory",
    "cancelled": "was cancelled",
}


@dataclass(frozen=True)
class Difference:
    """One difference. ``source`` None: how the runs ended. ``ways`` maps a way to what happened there."""

    source: str | None
    ways: dict[str, str]
    sentence: str


def differences(explorations: Mapping[str, Exploration]) -> tuple[Difference, ...]:
    """How the ways ended, then each source measured differently where it was measured at all."""
    ended = {way: str(each.outcome) for way, each in explorations.items()}
    rows = [Difference(None, ended, _ending(explorations))] if len(set(ended.values())) > 1 else []
    measured = {
        way: {m.source: m.measured for m in each.run.measurements} if each.run else {}
        for way, each in explorations.items()
    }
    for source in dict.fromkeys(name for row in measured.values() for name in row):
        told = {way: row[source] for way, row in measured.items() if source in row}
        if len(set(told.values())) > 1:
            rows.append(Difference(source, dict(told), _source(source, told)))
    return tuple(rows)


def sentences(rows: Iterable[Difference]) -> list[str]:
    """The differences in words; sources that differ in the same way share a sentence."""
    told: dict[tuple[tuple[str, str], ...] | str, list[str]] = {}
    for row in rows:
        key = row.sentence if row.source is None else tuple(row.ways.items())
        told.setdefault(key, []).append(row.source or "")
    return [key if isinstance(key, str) else _source(listed(names), dict(key)) for key, names in told.items()]


def _ending(explorations: Mapping[str, Exploration]) -> str:
    parts = []
    for way, each in explorations.items():
        part = f"{_NAMES.get(way, way)} it {_ENDED.get(str(each.outcome), 'has not ended')}"
        hint = each.failure.hint if each.failure else ""
        parts.append(part + (f" ({hint.rstrip('.')})" if hint else ""))
    return _sentence("; ".join(parts))


def _source(source: str, told: Mapping[str, str]) -> str:
    by_answer: dict[str, list[str]] = {}
    for way, answer in told.items():
        by_answer.setdefault(answer, []).append(_NAMES.get(way, way))
    said = ", ".join(f"{_word(answer)} {' and '.join(ways)}" for answer, ways in by_answer.items())
    many = " and " in source
    return f"The gradient{'s' if many else ''} of {source} {'are' if many else 'is'} {said}.{_why(told)}"


def _why(told: Mapping[str, str]) -> str:
    answers = set(told.values())
    if {"none", "zero"} <= answers:
        return (
            " The path is cut in both: a graph's While fills in zeros for everything the loop captures, so the zero is "
            "a hidden None."
        )
    if "eager" in told and {"zero", "finite"} <= answers:
        return " Python state, randomness or a traced constant makes the graph compute something else than eager code."
    if {"nan", "inf"} & answers and "finite" in answers:
        return " XLA and the plain kernels round and order the same formula differently near a singular point."
    return ""


def _word(answer: str) -> str:
    words = {"none": "None", "zero": "exactly zero", "nan": "NaN", "inf": "infinite", "raised": "not delivered"}
    return words.get(answer, answer)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
