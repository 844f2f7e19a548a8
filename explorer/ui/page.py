"""The page: reads the settings, runs what is asked for, shows what is known."""

from __future__ import annotations

import streamlit as st

from explorer.model.case import Case
from explorer.model.verdict import Exploration
from explorer.rules.palette import ThemeName
from explorer.ui import address, details, downloads, drawing_library, panels, picture, session, sidebar, style, verdict


def show() -> None:
    """Everything, from the top; Streamlit calls this at every change."""
    st.set_page_config("Gradient explorer", style.ICON, layout="wide", initial_sidebar_state=330)
    theme = style.theme()
    style.write(theme)
    engine, desk = session.engine(), session.desk()
    newcomer = "url" not in st.session_state and not st.query_params
    asked, complaint = address.read()
    if asked is not None:
        _arrive(desk, asked, newcomer)
    with st.sidebar:
        chosen = sidebar.show(desk.running, complaint)
    if chosen.case is not None:
        address.write(chosen.case)
    if chosen.run and chosen.case is not None:
        picture.select("")
        desk.start(chosen.case, engine)
        st.rerun()  # so that Cancel is there at once
    if chosen.cancel:
        desk.cancel()
    _main(desk, chosen.case, theme)
    drawing_library.provide()  # last: nothing on the page waits for its few megabytes


def _arrive(desk: session.Desk, case: Case, newcomer: bool) -> None:
    """A first visit runs the usual case; a link shows what this server knows about it, and never runs by itself."""
    known = session.recent().find(case)
    if known is not None:
        desk.cancel()
        desk.job = None
        desk.restore(known)
    elif newcomer:
        desk.start(case, session.engine())


def _main(desk: session.Desk, case: Case | None, theme: ThemeName) -> None:
    latest, drawn = desk.latest, desk.look()
    if latest is not None:
        verdict.show(latest)
    verdict.progress(desk, session.engine())
    if latest is None:
        st.info("Press **Run** (Ctrl+Enter) to explore this case.", icon=":material/play_arrow:")
        return
    if drawn is None:
        return
    _remark(latest, drawn, case)
    _result(drawn, theme)


def _remark(latest: Exploration, drawn: Exploration, case: Case | None) -> None:
    """Which run the picture belongs to, where that is not plain."""
    if drawn is not latest and latest.outcome is not None:
        st.caption(
            f":material/history: Nothing could be drawn; the picture is of an earlier run: {verdict.context(drawn)}"
        )
    elif case is not None and case != latest.case:
        st.caption(
            f":material/history: The settings have changed since this run ({verdict.context(drawn)}): press Run."
        )
    else:
        st.caption(verdict.context(drawn))


def _result(exploration: Exploration, theme: ThemeName) -> None:
    left, right = st.columns([3.1, 1.15], gap="medium")
    with left:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.segmented_control(
                "Detail", list(picture.DETAILS), key="detail", format_func=picture.DETAILS.__getitem__,
                label_visibility="collapsed",
            )  # fmt: skip
            placed = picture.scene(exploration)
            st.space("stretch")
            downloads.show(exploration, placed)
        selected = details.effective(exploration, placed, st.session_state.get("selected", ""))
        picture.show(exploration, placed, theme, selected)
    with right, st.container(key="details"):
        details.show(exploration, placed, selected, theme)
    panels.show(exploration, theme)
