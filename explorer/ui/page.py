"""The page: reads the settings, runs what is asked for, shows what is known.

The widgets come first and need little; what draws a result (numpy, plotly) is loaded when there is one.
"""

from __future__ import annotations

import streamlit as st

from explorer.model.verdict import Exploration
from explorer.rules.palette import ThemeName
from explorer.ui import address, remedy, session, sidebar, style, verdict, view, ways
from explorer.ui.form import Cases


def show() -> None:
    """Everything, from the top; Streamlit calls this at every change."""
    st.set_page_config("Gradient explorer", layout="wide", initial_sidebar_state=330)
    theme = style.theme()
    style.write(theme)
    desk = session.desk()
    newcomer = "url" not in st.session_state and not st.query_params
    asked, complaint = address.read()
    if asked:
        _arrive(desk, asked, newcomer)
    view.bring_back(sidebar.FOLDED)
    seen = desk.seen()  # of one moment: a job that ends while the page is drawn is drawn by the next run
    with st.sidebar:
        chosen = sidebar.show(seen.running, complaint)
    view.choose_page()
    if chosen.cases:
        address.write(chosen.cases)
    if chosen.run and chosen.cases:
        view.select("")
        session.engine()
        desk.start(chosen.cases)
        desk.tend()
        st.rerun()  # so that Cancel is there at once
    if chosen.cancel:
        desk.cancel()
    desk.tend()
    if view.page() == "compare":
        from explorer.ui import comparison

        comparison.show(chosen.cases[0] if chosen.cases else None, theme)
    else:
        _main(desk, seen, chosen.cases, theme)
    st.set_page_config(page_icon=style.ICON)  # last: Streamlit loads its libraries for images first


def _arrive(desk: session.Desk, cases: Cases, newcomer: bool) -> None:
    """A first visit runs the usual case; a link shows what this server knows about it, and never runs by itself."""
    known = tuple(found for case in cases if (found := session.recent().find(case)) is not None)
    if known:
        desk.restore(known)
    elif newcomer:
        desk.start(cases)


def _main(desk: session.Desk, seen: session.Seen, cases: Cases, theme: ThemeName) -> None:
    latest = ways.choose(desk.explorations, len(desk.cases), theme)
    if latest is not None:
        verdict.show(latest)
    if latest is not None and latest.outcome is not None and desk.before is not None:
        remedy.show(desk.before, latest, theme)
    if latest is not None and latest.outcome is not None and not (latest.flow and latest.flow.barriers):
        remedy.offer(latest, "verdict ")  # else beside the barrier
    verdict.progress(desk, seen)
    if latest is None:
        if not desk.running:
            st.info("Press **Run** (Ctrl+Enter) to explore this case.", icon=":material/play_arrow:")
        return
    drawn = desk.look(latest)
    if drawn is None:
        return
    _remark(desk, latest, drawn, cases)
    from explorer.ui import result

    result.show(drawn, theme)


def _remark(desk: session.Desk, latest: Exploration, drawn: Exploration, cases: Cases) -> None:
    """Which run the picture belongs to, where that is not plain."""
    known = desk.cases or tuple(each.case for each in desk.explorations)
    if drawn is not latest and latest.outcome is not None:
        st.caption(
            f":material/history: Nothing could be drawn; the picture is of an earlier run: {verdict.context(drawn)}"
        )
    elif cases and cases != known:
        st.caption(
            f":material/history: The settings have changed since this run ({verdict.context(drawn)}): press Run."
        )
    else:
        st.caption(verdict.context(drawn))
