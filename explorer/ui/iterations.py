"""Inside the loops: where numbers go bad, how the gradient changes from iteration to iteration, what a loop costs.

A part of the page of its own: choosing another loop or variable draws nothing else again.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import streamlit as st

from explorer.layout.values import Nest
from explorer.model.graph import Snapshot
from explorer.model.probes import Direction, LoopCost, Probe
from explorer.model.verdict import Exploration
from explorer.rules.first_bad import first_bad
from explorer.rules.grid import grid, prefixes
from explorer.rules.palette import ThemeName
from explorer.rules.trends import Trend
from explorer.rules.watched import around, loop_line, main_probe, probes_of, titled, trend_of, watched_loops
from explorer.ui import heat_map, tables
from explorer.ui.form import in_app

DIRECTIONS: dict[Direction, str] = {"backward": "Gradient", "forward": "Value"}

_BANNERS: dict[str, tuple[Callable[..., Any], str]] = {
    "vanishing": (st.warning, ":material/trending_down:"),
    "exploding": (st.warning, ":material/trending_up:"),
    "dead": (st.warning, ":material/block:"),
    "bad": (st.error, ":material/function:"),
    "steady": (st.success, ":material/trending_flat:"),
    "uneven": (st.info, ":material/show_chart:"),
    "unknown": (st.info, ":material/visibility_off:"),
}


@st.fragment
def show(exploration: Exploration, nest: Nest, theme: ThemeName) -> None:
    """The panel."""
    snapshot = exploration.snapshot
    if snapshot is None or not exploration.probes:
        st.caption(_nothing(exploration))
        _costs(exploration, snapshot)
        return
    bad = first_bad(exploration)
    if bad is not None:
        st.error(bad.sentence, icon=":material/function:")
    probe = _choose(exploration, snapshot, bad.probe if bad else None)
    if probe is not None:
        _tell(trend_of(exploration, probe))
        if any(run.norms for run in probe.runs):
            _draw(exploration, snapshot, nest, probe, theme)
    _unobserved(exploration, snapshot)
    _costs(exploration, snapshot)


def _nothing(exploration: Exploration) -> str:
    if not exploration.case.probe:
        return "Not watched: switch on **Watch every iteration** in the sidebar, and run."
    if exploration.outcome is None:
        return "Not known yet."
    if exploration.snapshot is not None and not exploration.snapshot.loops:
        return "There is no loop to watch."
    return "Nothing was watched: the run ended before, or it was left out."


def _tell(trend: Trend) -> None:
    banner, icon = _BANNERS[trend.kind]
    if trend.kind in ("vanishing", "exploding") and not trend.reached:
        banner = st.info  # it would in a longer loop
    banner(in_app(trend.sentence), icon=icon)


def _choose(exploration: Exploration, snapshot: Snapshot, bad: Probe | None) -> Probe | None:
    """What the reader wants to see: first what went bad, else the innermost loop's gradient."""
    loops = [loop.id for loop in watched_loops(exploration)]
    if not loops:
        return None
    deepest = max(loops, key=lambda loop: (_runs(exploration, loop), loop.count("/")))
    usual = bad or main_probe(exploration, deepest)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        loop = _one_of("Loop", loops, usual.loop if usual else loops[0], lambda key: _loop_name(snapshot, key))
        ways = [way for way in DIRECTIONS if probes_of(exploration, loop, way)]
        way = _one_of("Direction", ways, usual.direction if usual else ways[0], DIRECTIONS.__getitem__)
        probes = {_key(probe): probe for probe in probes_of(exploration, loop, way)}
        first = usual if usual in probes.values() else main_probe(exploration, loop, way)
        name = _one_of("Variable", list(probes), _key(first) if first else "", lambda key: probes[key].name)
    return probes[name]


def _runs(exploration: Exploration, loop: str) -> bool:
    return any(run.norms for probe in probes_of(exploration, loop) for run in probe.runs)


def _key(probe: Probe) -> str:
    return f"{probe.slot} {probe.tensor} {probe.name}"


def _loop_name(snapshot: Snapshot, loop: str) -> str:
    return "↳ " * len(around(snapshot, loop)) + loop_line(snapshot, loop)


def _one_of(label: str, keys: list[Any], usual: Any, name: Callable[[Any], str]) -> Any:
    """A choice among these; no widget where there is none. What is not to be had any more is forgotten."""
    state = f"watched {label}"
    if st.session_state.get(state) not in keys:
        st.session_state[state] = usual if usual in keys else keys[0]
    if len(keys) == 1:
        return keys[0]
    return st.selectbox(label, keys, key=state, format_func=name, width=230)


def _draw(exploration: Exploration, snapshot: Snapshot, nest: Nest, probe: Probe, theme: ThemeName) -> None:
    held = {", ".join(map(str, each)): each for each in prefixes(probe)}
    chosen = next(iter(held), "")
    if len(held) > 1:
        outer = around(snapshot, probe.loop)[: len(held[chosen])]
        if st.session_state.get("watched outer") not in held:
            st.session_state["watched outer"] = chosen
        label = ", ".join(f"{loop_line(snapshot, loop)}: iteration" for loop in outer)
        chosen = st.select_slider(label, list(held), key="watched outer", width=420)
    prefix = held.get(chosen)
    table = grid(exploration, probe, prefix)
    heat_map.show(table, card_of(snapshot, nest, probe), theme)
    heat_map.downloads(exploration, table, trend_of(exploration, probe).sentence)


def card_of(snapshot: Snapshot, nest: Nest, probe: Probe) -> str:
    """What stands for the watched tensor in the picture: its chip, its op, else its loop."""
    known = {card.id for card in nest.cards}
    slot = f"slot:{probe.loop}#{probe.slot}"
    if slot in known:
        return slot
    if 0 <= probe.tensor < len(snapshot.tensors):
        op = snapshot.tensors[probe.tensor].op
        card = next((card.id for card in nest.cards if op in card.ops), "")
        if card:
            return card
    return f"loop:{probe.loop}"


def _unobserved(exploration: Exploration, snapshot: Snapshot) -> None:
    """One row for each loop and reason."""
    found: dict[tuple[str, str], list[str]] = {}
    for each in exploration.probes:
        if each.unobserved:
            found.setdefault((each.loop, each.unobserved), []).append(titled(each))
    rows = [
        [escape(loop_line(snapshot, loop)), escape(", ".join(dict.fromkeys(names))), escape(in_app(why))]
        for (loop, why), names in found.items()
    ]
    if rows:
        st.html("<b>Not observed</b>" + tables.table(["loop", "what", "why"], rows))


def _costs(exploration: Exploration, snapshot: Snapshot | None) -> None:
    """Only columns of which something is known."""
    if snapshot is None or not exploration.costs:
        return
    columns: list[tuple[str, Callable[[LoopCost], str | None]]] = [
        ("values stored per iteration", lambda cost: None if cost.stored is None else str(cost.stored)),
        ("stored per iteration", lambda cost: None if cost.stored_bytes is None else size(cost.stored_bytes)),
        ("forward, s", lambda cost: None if cost.forward is None else tables.number(cost.forward)),
        ("backward, s", lambda cost: None if cost.backward is None else tables.number(cost.backward)),
    ]
    known = [(name, cell) for name, cell in columns if any(cell(cost) for cost in exploration.costs)]
    rows = [
        [escape(loop_line(snapshot, cost.loop)), *(cell(cost) or tables.UNKNOWN for _, cell in known)]
        for cost in exploration.costs
    ]
    if known:
        st.html("<b>What the loops cost</b>" + tables.table(["loop", *(name for name, _ in known)], rows))
        st.caption("What an iteration stores for the backward pass is kept until it runs: times the iterations, of all "
                   "loops around, it is what fills the memory.")  # fmt: skip


def size(count: int) -> str:
    """Bytes, short."""
    power = min(max(count.bit_length() - 1, 0) // 10, 3)
    return f"{count / 1024**power:.4g} {('B', 'KB', 'MB', 'GB')[power]}"
