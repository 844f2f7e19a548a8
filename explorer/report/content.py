"""What a report says, gathered: the same words and numbers as on the command line and in the app."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.codec.document import document
from explorer.export.heat import heat_of
from explorer.export.listing import Note, around, own_line
from explorer.export.svg import svg
from explorer.layout.nest import decide
from explorer.layout.values import Nest, Scene
from explorer.model.graph import Location
from explorer.model.verdict import STAGES, Exploration
from explorer.rules.causes import title_of
from explorer.rules.first_bad import first_bad
from explorer.rules.sentence import loop_words, place, verdict
from explorer.rules.statuses import STATUSES
from explorer.rules.watched import watched_loops
from explorer.strategies.address import case_to_command
from explorer.strategies.catalogue import find_strategy
from explorer.usecases.findings import findings

Placing = Callable[[Nest], Scene]

_MARGIN = 2  # lines shown before and after the one to blame


@dataclass(frozen=True)
class Picture:
    """A drawing with the words for who cannot see it."""

    name: str
    title: str
    svg: str


@dataclass(frozen=True)
class Part:
    """One exploration: ``facts`` is its result document, the rest what a person wants beside it."""

    title: str
    verdict: str
    good: bool
    facts: dict[str, Any]
    statuses: dict[str, str]
    barriers: tuple[dict[str, Any], ...]
    pictures: tuple[Picture, ...]
    warnings: tuple[str, ...]
    setting: tuple[tuple[str, str], ...]
    seconds: tuple[tuple[str, str], ...]
    command: str


def part(exploration: Exploration, placing: Placing) -> Part:
    """Everything about one exploration; a picture where there is a graph to draw."""
    told = verdict(exploration)
    title = _title(exploration)
    return Part(
        title=title,
        verdict=told,
        good=not findings(exploration) and exploration.outcome == "done",
        facts=document(exploration),
        statuses={key: f"{look.sign} {look.label}" for key, look in STATUSES.items()},
        barriers=tuple(_barriers(exploration)),
        pictures=tuple(_pictures(exploration, told, placing)),
        warnings=tuple(_warnings(exploration)),
        setting=tuple(_setting(exploration)),
        seconds=tuple((s, f"{exploration.seconds[s]:.2f}") for s in (*STAGES, "total") if s in exploration.seconds),
        command=case_to_command(exploration.case),
    )


def _pictures(exploration: Exploration, told: str, placing: Placing) -> list[Picture]:
    """The nest where there is a graph, the norms by iteration where any was watched."""
    pictures = []
    if exploration.snapshot is not None:
        drawn = svg(placing(decide(exploration)), "light")
        pictures.append(Picture(_named("nest", exploration), f"Loop nest: {told}", drawn))
    if watched_loops(exploration):
        heat = heat_of(exploration)
        pictures.append(Picture(_named("iterations", exploration), "Norm of the gradient at each iteration", heat))
    return pictures


def _named(picture: str, exploration: Exploration) -> str:
    return "-".join(filter(None, (picture, exploration.way)))


def _title(exploration: Exploration) -> str:
    strategy = find_strategy(exploration.case.target)
    return strategy.title if strategy else exploration.case.target


def _barriers(exploration: Exploration) -> list[dict[str, Any]]:
    flow = exploration.flow
    rows = []
    for barrier in flow.barriers if flow else ():
        behind = [row.source for row in flow.predictions if barrier.id in row.barriers] if flow else []
        title = title_of(barrier.cause)
        rows.append(
            {
                "id": barrier.id, "op": barrier.op_type, "cause": barrier.cause, "title": title,
                "place": place(barrier.location) or "no line of yours is known",
                "loop": loop_words(exploration.snapshot, barrier.loop), "count": barrier.count, "loud": barrier.loud,
                "remedy": barrier.remedy, "behind": behind, "evidence": barrier.evidence,
                "listing": _listing(exploration, barrier.location, barrier.cause),
                "lines": _lines(exploration, barrier.location),
            }
        )  # fmt: skip
    return rows


def _listing(exploration: Exploration, location: Location | None, cause: str) -> str:
    """The line in its surroundings as HTML; empty where it is not a line of the program that ran."""
    line = own_line(exploration, location)
    return "" if line is None else around(exploration.code, line, {line: Note(cause)}, _MARGIN)


def _lines(exploration: Exploration, location: Location | None) -> str:
    """The same as plain text, the line marked with an arrow."""
    line = own_line(exploration, location)
    if line is None:
        return ""
    rows = exploration.code.splitlines()
    numbers = range(max(1, line - _MARGIN), min(len(rows), line + _MARGIN) + 1)
    return "\n".join(f"{'>' if n == line else ' '} {n:4d}  {rows[n - 1]}".rstrip() for n in numbers)


def _warnings(exploration: Exploration) -> list[str]:
    risks = exploration.flow.risks if exploration.flow else ()
    told = [f"{place(risk.location) or risk.op_type}: {risk.sentence}" for risk in risks]
    told += [f"Disagreement: {each.sentence}" for each in exploration.disagreements]
    bad = first_bad(exploration)
    told += [bad.sentence] if bad else []
    return list(dict.fromkeys([*told, *exploration.notes]))


def _setting(exploration: Exploration) -> list[tuple[str, str]]:
    """What was run and where, so that a reader can judge and repeat it."""
    case = exploration.case
    rows = [("target", case.target), ("way", exploration.way or str(case.way or ""))]
    rows += [(f"input {each.name}", f"{_shape(each.shape)}, run with {_shape(each.size)}") for each in case.inputs]
    rows += [(f"option {key}", str(value)) for key, value in case.options]
    rows += [("breaker", case.breaker)] if case.breaker else []
    rows += [("seed", str(case.seed)), ("outcome", (exploration.outcome or "running").replace("_", " "))]
    rows += [("device", exploration.surroundings.device)] if exploration.surroundings.device else []
    rows += list(exploration.surroundings.versions.items())
    rows += [(f"memory, {name}", f"{value:.0f} MB") for name, value in exploration.memory.items()]
    return rows


def _shape(shape: Sequence[int | None] | None) -> str:
    return "sizes as the target says" if shape is None else f"[{', '.join(map(str, shape))}]"
