"""Below the picture: sources, barriers, loops, their iterations, numbers, source code, and what the run took."""

from __future__ import annotations

from html import escape

import streamlit as st

from explorer.codec.document import document
from explorer.export.listing import notes_of, source_html
from explorer.layout.text import text
from explorer.layout.values import Nest
from explorer.model.graph import Loop, Snapshot
from explorer.model.verdict import STAGES, Exploration
from explorer.rules.causes import title_of
from explorer.rules.palette import ThemeName
from explorer.rules.sentence import loop_words, place
from explorer.rules.watched import tree
from explorer.strategies.address import case_to_command
from explorer.ui import iterations, numbers, tables, view
from explorer.ui.words import DOING


def show(exploration: Exploration, nest: Nest, theme: ThemeName) -> None:
    """One tab for each."""
    count = len(exploration.flow.barriers) if exploration.flow else 0
    names = ["Sources", f"Barriers ({count})" if count else "Barriers", "Loops", "Iterations"]
    names += ["Numbers", "Source code", "Run"]
    sources, barriers, loops, inside, figures, source, run = st.tabs(names)
    with sources:
        _sources(exploration, theme)
    with barriers:
        _barriers(exploration)
    with loops:
        _loops(exploration, nest)
    with inside:
        iterations.show(exploration, nest, theme)
    with figures:
        numbers.show(exploration, nest, theme)
    with source:
        _code(exploration)
    with run:
        _run(exploration)


def _sources(exploration: Exploration, theme: ThemeName) -> None:
    rows = [
        [
            escape(row["name"]),
            tables.status(row["status"], theme),
            tables.said(row["predicted"]) or tables.UNKNOWN,
            tables.said(row["measured"]) or tables.UNKNOWN,
            tables.number(row["norm"]),
            escape(row["kind"]),
            escape(row["dtype"]),
            escape(tables.shape(row["shape"])),
            escape(", ".join(row["barriers"])),
        ]
        for row in document(exploration)["sources"]
    ]
    head = ["source", "gradient", "predicted", "measured", "norm", "kind", "type", "shape", "barriers"]
    st.html(tables.table(head, rows))


def _barriers(exploration: Exploration) -> None:
    flow = exploration.flow
    if flow is None or not flow.barriers:
        st.caption(
            "No barrier: nothing cuts a path from an input or variable to the loss." if flow else "Not known yet."
        )
        return
    for barrier in flow.barriers:
        with st.container(border=True):
            left, right = st.columns([5, 1], vertical_alignment="center")
            title = title_of(barrier.cause)
            often = f", {barrier.count} times" if barrier.count > 1 else ""
            where = ", ".join(filter(None, (place(barrier.location), loop_words(exploration.snapshot, barrier.loop))))
            why = escape(tables.sentence(title))
            left.html(
                f"<b>{escape(barrier.op_type)}</b> &nbsp; {escape(where)}{often}<br>{why}"
                f"<br><span style='opacity:.72'>Instead:</span> {escape(barrier.remedy)}"
            )
            right.button(
                "Show", key=f"show {barrier.id}", width="stretch",
                on_click=view.select, args=(f"barrier:{barrier.id}",), help="Mark it in the picture.",
            )  # fmt: skip


def _loops(exploration: Exploration, nest: Nest) -> None:
    snapshot = exploration.snapshot
    if snapshot is None or not snapshot.loops:
        st.caption("No loops.")
        return
    rows = [_loop_row(exploration, snapshot, loop) for loop in tree(snapshot.loops)]
    st.html(tables.table(["loop", "made by", "iterations", "kind", "line", "loop variables"], rows))
    with st.expander("The picture as text"):
        st.code(text(nest), language=None)


def _loop_row(exploration: Exploration, snapshot: Snapshot, loop: Loop) -> list[str]:
    runs = exploration.trips.get(loop.id, loop.runs)
    static = f"{loop.trips_static} in the graph" if loop.trips_static is not None else "not known"
    indent = f"<span style='padding-left:{1.4 * (loop.depth - 1)}em'></span>" + ("↳ " if loop.depth > 1 else "")
    return [
        indent + escape(loop.id.rpartition("/")[2]),
        escape(loop.api),
        tables.trips(runs) or static,
        escape(loop.kind),
        tables.line(snapshot.where(loop.stack)),
        escape(", ".join(f"{slot.name} ({slot.role})" for slot in loop.slots)),
    ]


def _code(exploration: Exploration) -> None:
    if not exploration.code:
        st.caption("The source text is not known.")
        return
    st.html(source_html(exploration.code, notes_of(exploration)))


def _run(exploration: Exploration) -> None:
    st.html("<b>The same on the command line</b>")
    st.code(case_to_command(exploration.case), language="bash", wrap_lines=True)
    left, right = st.columns(2, gap="large")
    seconds = [(DOING[stage].lower(), exploration.seconds.get(stage)) for stage in STAGES]
    seconds.append(("in all", exploration.seconds.get("total")))
    left.html("<b>Seconds</b>" + tables.facts([(name, f"{value:.2f}") for name, value in seconds if value is not None]))
    right.html("<b>Surroundings</b>" + tables.facts(_surroundings(exploration)))


def _surroundings(exploration: Exploration) -> list[tuple[str, str]]:
    snapshot = exploration.snapshot
    rows = [("outcome", escape((exploration.outcome or "running").replace("_", " "))), ("way", escape(exploration.way))]
    rows += [("device", escape(exploration.surroundings.device))]
    rows += [(f"memory, {name}", f"{value:.0f} MB") for name, value in exploration.memory.items()]
    rows += [(name, escape(version)) for name, version in exploration.surroundings.versions.items()]
    if snapshot is not None:
        rows += [("ops", str(len(snapshot.ops))), ("control flow", escape(snapshot.control_flow))]
        rows += [] if snapshot.complete else [("recording", "incomplete: the function raised before it gave a loss")]
    if exploration.run is not None and exploration.run.loss is not None:
        summed = " (sum of the output)" if exploration.run.loss_summed else ""
        rows.append(("loss", tables.number(exploration.run.loss) + summed))
    return rows
