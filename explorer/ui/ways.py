"""One program in several ways, side by side: where they differ and why; and which of them the picture shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

import streamlit as st

from explorer.model.graph import Loop, Snapshot
from explorer.model.verdict import Exploration
from explorer.rules.differences import differences, sentences
from explorer.rules.palette import ThemeName
from explorer.rules.sentence import place, plain_verdict
from explorer.ui import tables
from explorer.ui.words import ENDED

WAYS = {"eager": "eager", "graph": "tf.function", "xla": "XLA", "tf1": "TF1 session"}


def choose(explorations: Sequence[Exploration], expected: int, theme: ThemeName) -> Exploration | None:
    """The exploration to be shown; where there are several, the comparison and a choice come first."""
    if len(explorations) < 2 and expected < 2:
        return explorations[0] if explorations else None
    by_way = {way(each): each for each in explorations}
    if not by_way:
        return None
    _compare(by_way, theme)
    if st.session_state.get("shown") not in by_way:
        st.session_state["shown"] = next(iter(by_way))
    st.segmented_control(
        "Way", list(by_way), key="shown", format_func=lambda key: WAYS[key], required=True,
        help="Whose verdict, picture and details are shown below.",
    )  # fmt: skip
    return by_way[st.session_state["shown"]]


def way(exploration: Exploration) -> str:
    """The way that was asked for, else the one that ran."""
    return exploration.case.way or exploration.way


def _compare(by_way: dict[str, Exploration], theme: ThemeName) -> None:
    ended = {way: each for way, each in by_way.items() if each.outcome is not None}
    found = differences(ended) if len(ended) > 1 else ()
    for told in sentences(found):
        st.warning(told, icon=":material/difference:")
    if len(ended) > 1 and not found:
        st.success(f"All {len(ended)} ways give the same answer.", icon=":material/done_all:")
    with st.expander("Side by side", expanded=True), st.container(key="side_by_side"):
        st.html(_table(by_way, theme))


def _table(by_way: dict[str, Exploration], theme: ThemeName) -> str:
    def row(name: str, cell: Callable[[Exploration], str]) -> list[str]:
        return [name, *(cell(each) for each in by_way.values())]

    rows = [row("verdict", _verdict)]
    rows += [row(f"<code>{escape(name)}</code>", _status(name, theme)) for name in _sources(by_way)]
    rows += [row(_loop_name(loop), _trips(loop)) for loop in _loops(by_way)]
    rows.append(row("barriers", lambda each: str(len(each.flow.barriers)) if each.flow else tables.UNKNOWN))
    rows.append(row("seconds", lambda each: tables.number(each.seconds.get("total"))))
    return tables.table(["", *(WAYS[way] for way in by_way)], rows)


def _verdict(exploration: Exploration) -> str:
    if exploration.outcome is None:
        return "running…"
    ended = "" if exploration.outcome == "done" else f"<b>{ENDED[exploration.outcome]}.</b> "
    return ended + escape(plain_verdict(exploration))


def _status(source: str, theme: ThemeName) -> Callable[[Exploration], str]:
    def cell(exploration: Exploration) -> str:
        return tables.status(next((row.status for row in exploration.conclusions if row.source == source), None), theme)

    return cell


def _sources(by_way: dict[str, Exploration]) -> list[str]:
    snapshots = [each.snapshot for each in by_way.values() if each.snapshot is not None]
    return list(dict.fromkeys(source.name for snapshot in snapshots for source in snapshot.sources))


_LoopKey = tuple[tuple[str, str], ...]


def _key(snapshot: Snapshot, loop: Loop) -> _LoopKey:
    """What made a loop and those around it, and where: the ids differ from way to way."""
    outer = snapshot.loop(loop.parent) if loop.parent else None
    return (*(_key(snapshot, outer) if outer else ()), (loop.api, place(snapshot.where(loop.stack))))


def _loops(by_way: dict[str, Exploration]) -> list[_LoopKey]:
    """Every loop of any way, outer ones before those inside them."""
    snapshots = [each.snapshot for each in by_way.values() if each.snapshot is not None]
    return sorted({_key(snapshot, loop) for snapshot in snapshots for loop in snapshot.loops})


def _loop_name(key: _LoopKey) -> str:
    api, where = key[-1]
    sign = "↳ " if len(key) > 1 else ""
    name = f"{sign}loop {escape(api)} <span style='opacity:.72'>{escape(where)}</span>"
    return f"<span style='padding-left:{len(key) - 1}em'>{name}</span>"


def _trips(key: _LoopKey) -> Callable[[Exploration], str]:
    def cell(exploration: Exploration) -> str:
        snapshot = exploration.snapshot
        found = [loop for loop in snapshot.loops if _key(snapshot, loop) == key] if snapshot else []
        counted = (tables.trips(exploration.trips.get(loop.id, loop.runs)) or "not counted" for loop in found)
        told = [f"{trips} ({escape(loop.kind)})" for trips, loop in zip(counted, found, strict=True)]
        return "; ".join(told) or tables.UNKNOWN

    return cell
