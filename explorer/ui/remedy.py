"""A known remedy, tried: the case is changed and run again, and what that changed stands beside what was before."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import streamlit as st

from explorer.model.case import Case
from explorer.model.verdict import Exploration
from explorer.rules.palette import ThemeName
from explorer.rules.sentence import verdict
from explorer.ui import session, tables, view
from explorer.ui.form import values_of

_GOOD = ("flows", "vanishing", "exploding", "zero")


def offer(exploration: Exploration) -> None:
    """A button for every change of the case that is known to help."""
    for label, case in remedies(exploration):
        st.button(
            label, key=f"remedy {label}", icon=":material/healing:", on_click=_try, args=(exploration, case),
            help="Changes the settings, runs again, and shows before and after.",
        )  # fmt: skip


def remedies(exploration: Exploration) -> list[tuple[str, Case]]:
    """Changes of the case itself; what has to be changed in a model's text is for its author."""
    case = exploration.case
    found = []
    if case.breaker:
        found.append((f"Run without {case.breaker.partition('@')[0].replace('_', ' ')}", replace(case, breaker=None)))
    if exploration.way == "xla":
        found.append(("Run without XLA", replace(case, way="graph")))
    return found


def _try(before: Exploration, case: Case) -> None:
    """Called before any widget is made, so that the sidebar shows what runs."""
    for name, value in values_of((case,)).items():
        st.session_state[name] = value
    view.select("")
    desk = session.desk()
    session.engine()
    desk.start((case,), before)
    desk.tend()


def show(before: Exploration, after: Exploration, theme: ThemeName) -> None:
    """Before and after, source by source."""
    was, now = ({c.source: c.status for c in each.conclusions} for each in (before, after))
    norms = {m.source: m.norm for m in after.run.measurements} if after.run else {}
    regained = [s for s, status in now.items() if status in _GOOD and was.get(s) not in _GOOD]
    with st.expander(f"Before and after: {len(regained)} of {len(now)} sources regained", expanded=True):
        rows = [
            [f"<code>{escape(name)}</code>", tables.status(was.get(name), theme), tables.status(status, theme),
             tables.number(norms.get(name))]
            for name, status in now.items()
        ]  # fmt: skip
        st.html(tables.table(["source", "before", "after", "norm after"], rows))
        st.caption(f"Before: {verdict(before)}")
