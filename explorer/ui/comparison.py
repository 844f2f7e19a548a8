"""The page that compares strategies: one table, their nests side by side, and time against a size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from explorer.model.case import BadInput, Case
from explorer.model.comparison import Comparison, Row
from explorer.rules.palette import ThemeName
from explorer.strategies.catalogue import STRATEGIES
from explorer.strategies.remedies import in_strategy
from explorer.strategies.sweep import DIMS, make_sweep
from explorer.ui.contest import Contest, contest
from explorer.ui.form import title_of

USUAL = ("nested_while_loop", "map_fn_keras_rnn", "python_loop_tape", "tf1_map_fn_dynamic_rnn", "folded_batch", "scan")
NOTHING = "nothing"
_EVERY = 1.0  # seconds between two looks
_MARK = {"yes": "✓", "no": "✗", "unknown": ""}


def show(like: Case | None, theme: ThemeName) -> None:
    """Everything. ``like`` is the sidebar's case: its shapes, sizes, options and limits hold for all strategies."""
    running = contest()
    keys = _choose(like, running)
    if running.running:
        _follow()
    elif running.failed:
        st.error(f"The comparison ended: {running.failed}", icon=":material/report:")
    if running.found is not None:
        _result(running.found, theme)
    elif not running.running and keys:
        st.info("Press **Compare** to run the chosen strategies on the same weights, inputs and sizes.")


def _choose(like: Case | None, running: Contest) -> list[str]:
    known = [row.key for row in STRATEGIES]
    keys = st.multiselect(
        "Strategies", known, default=[key for key in USUAL if key in known], format_func=title_of, key="compared",
        help="Shapes, sizes, cell, breaker, seed and limits are those of the sidebar.",
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom"):
        compare = st.button("Compare", type="primary", icon=":material/balance:", disabled=not keys or like is None)
        everything = st.button("Compare all", disabled=like is None, help=f"All {len(known)} of them: takes minutes.")
        if st.button("Cancel", icon=":material/stop:", disabled=not running.running, key="cancel comparison"):
            running.cancel()
            st.rerun()
        dim = st.selectbox("Also time against the size of", [NOTHING, *DIMS], key="sweep", width=210)
        sizes = st.text_input("at", "2, 8, 32", key="sweep sizes", width=140, disabled=dim == NOTHING)
    if (compare or everything) and like is not None:
        try:
            sweep = None if dim == NOTHING else make_sweep(dim, sizes)
        except BadInput as refusal:
            st.error(str(refusal), icon=":material/error:")
        else:
            running.start(known if everything else keys, lambda key: in_strategy(like, key), sweep)
            st.rerun()
    return keys


@st.fragment(run_every=_EVERY)
def _follow() -> None:
    running = contest()
    seen = (running.found.done if running.found else -1, running.running)
    if st.session_state.get("contest seen") != seen:
        st.session_state["contest seen"] = seen
        st.rerun()
    found = running.found
    share = found.done / max(1, found.total) if found else 0.0
    st.progress(share, text=f"{found.done if found else 0} of {found.total if found else '?'}: {running.doing} …")


def _result(found: Comparison, theme: ThemeName) -> None:
    if found.reason:
        (st.success if found.recommended else st.warning)(found.reason, icon=":material/recommend:")
    _table(found)
    for row in found.rows:
        if row.outcome not in ("done", "waiting", "running"):
            st.caption(f"**{row.title}** ({row.outcome}): {row.verdict}")
    if any(row.swept for row in found.rows):
        _swept(found, theme)
    st.image(_poster(found, theme), width="stretch")
    _downloads(found)
    with st.expander("Why not? What each strategy cannot do"):
        st.markdown("\n".join(_reasons(found.rows)) or "Nothing is known to be refused.")


def _table(found: Comparison) -> None:
    st.dataframe(
        [_line(row, found) for row in found.rows],
        placeholder="",  # else a number that is not known yet reads None, which means something else here
        hide_index=True,
        width="stretch",
        height=min(760, 38 + 36 * len(found.rows)),
        column_config={
            "forward ms": st.column_config.NumberColumn(format="%.1f"),
            "backward ms": st.column_config.NumberColumn(format="%.1f"),
            "trace s": st.column_config.NumberColumn(format="%.2f"),
            "first s": st.column_config.NumberColumn(format="%.2f"),
            "memory MB": st.column_config.NumberColumn(format="%.0f"),
        },
    )
    st.caption(
        f"Medians of {found.rounds} rounds in which the strategies take turns, each in a fresh process. The first run "
        "is the warm-up and is not in the medians; backward is what gradients add to the loss. A click on a head sorts."
    )


def _line(row: Row, found: Comparison) -> dict[str, Any]:
    return {
        "strategy": ("★ " if row.strategy == found.recommended else "") + title_of(row.strategy),
        "gradients": f"{row.flowing} flow" if row.statuses else row.outcome,
        "reference": _agreement(row, found),
        "loops": " × ".join(loop.trip for loop in row.loops),
        "flow": row.control_flow,
        "ops": row.ops,
        "trace s": row.trace,
        "first s": row.first,
        "forward ms": None if row.forward is None else 1000 * row.forward,
        "backward ms": None if row.backward is None else 1000 * row.backward,
        "memory MB": row.memory,
        "None dims": _MARK[row.none_dims.works],
        "XLA": _MARK[row.xla.works],
        "2nd order": _MARK[row.second_order.works],
    }


def _agreement(row: Row, found: Comparison) -> str:
    if row.strategy == found.reference:
        return "is it"
    if row.difference is None:
        return ""
    return f"equal ({row.difference:.0e})" if row.agrees else f"DIFFERS ({row.difference:.0e})"


def _reasons(rows: Sequence[Row]) -> list[str]:
    told = []
    for row in rows:
        told += [f"- **{row.title}**, {name}: {a.why}" for name, a in row.answers.items() if a.works == "no" and a.why]
    return told


def _swept(found: Comparison, theme: ThemeName) -> None:
    """Time of a step against the swept size, one line per strategy, both axes logarithmic."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for row in found.rows:
        points = [(size, 1000 * seconds) for size, seconds in row.swept if seconds is not None]
        if points:
            xs, ys = zip(*points, strict=True)
            figure.add_scatter(x=xs, y=ys, name=row.title, mode="lines+markers")
    dim, sizes = (found.sweep.dim, found.sweep.sizes) if found.sweep else ("", ())
    figure.update_layout(
        template="plotly_dark" if theme == "dark" else "plotly_white", height=360, margin={"t": 10, "b": 40},
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)",
        xaxis={"type": "log", "title": f"size of {dim}", "tickvals": list(sizes)},
        yaxis={"type": "log", "title": "ms a step"},
    )  # fmt: skip
    st.plotly_chart(figure, width="stretch", key="swept")


def _poster(found: Comparison, theme: ThemeName) -> str:
    from explorer.export.poster import poster, scenes_of
    from explorer.ui.picture import scene_of

    return poster(found, scenes_of(found, scene_of), theme)


def _downloads(found: Comparison) -> None:
    from explorer.codec.comparison import comparison_csv, comparison_document
    from explorer.codec.document import to_json
    from explorer.export.png import png

    files = {
        "CSV": ("text/csv", lambda: comparison_csv(found).encode()),
        "JSON": ("application/json", lambda: to_json(comparison_document(found)).encode()),
        "SVG": ("image/svg+xml", lambda: _poster(found, "light").encode()),
        "PNG": ("image/png", lambda: png(_poster(found, "light"))),
    }
    with st.container(horizontal=True):
        for kind, (mime, made) in files.items():
            st.download_button(
                kind, made, file_name=f"comparison.{kind.lower()}", mime=mime, on_click="ignore",
                key=f"comparison {kind}", icon=":material/download:",
            )  # fmt: skip
