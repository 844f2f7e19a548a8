"""A known remedy, tried: the case is changed and run again, and what that changed stands beside what was before."""

from __future__ import annotations

from html import escape

import streamlit as st

from explorer.model.case import Case
from explorer.model.verdict import Exploration
from explorer.rules.palette import ThemeName
from explorer.rules.sentence import verdict
from explorer.strategies.remedies import remedies
from explorer.ui import session, tables, view
from explorer.ui.form import values_of

_GOOD = ("flows", "vanishing", "exploding", "zero")


def offer(exploration: Exploration, place: str = "") -> None:
    """A button for every change of the case that is known to help; ``place`` is where on the page, in a word."""
    for remedy in remedies(exploration):
        st.button(
            remedy.label, key=f"remedy {place}{remedy.key}", icon=":material/healing:", on_click=_try,
            args=(exploration, remedy.case),
            help=f"{remedy.reason}\n\nChanges the settings, runs again, and shows before and after.",
        )  # fmt: skip


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
    """Before and after: source by source, and the two pictures."""
    short = before.case.target != after.case.target  # another strategy's layers put other names in front
    was, now = _statuses(before, short), _statuses(after, short)
    regained = [name for name, status in now.items() if status in _GOOD and was.get(name) not in _GOOD]
    with st.expander(f"Before and after: {len(regained)} of {len(now)} sources regained", expanded=True):
        old, new = _norms(before, short), _norms(after, short)
        rows = [
            [
                f"<code>{escape(name)}</code>", tables.status(was.get(name), theme), tables.number(old.get(name)),
                tables.status(now.get(name), theme), tables.number(new.get(name)),
            ]
            for name in dict.fromkeys([*was, *now])
        ]  # fmt: skip
        st.html(tables.table(["source", "before", "norm before", "after", "norm after"], rows))
        st.caption(f"Before: {verdict(before)}  \nAfter: {verdict(after)}")
        if before.snapshot is not None and after.snapshot is not None:
            st.image(_pictures(before, after, theme), width="stretch")


def _pictures(before: Exploration, after: Exploration, theme: ThemeName) -> str:
    from explorer.export.pair import pair
    from explorer.layout.nest import decide
    from explorer.ui.picture import scene_of

    one, other = (scene_of(decide(each, "nest")) for each in (before, after))
    return pair((f"Before: {_title(before)}", one), (f"After: {_title(after)}", other), theme)


def _title(exploration: Exploration) -> str:
    case = exploration.case
    return case.target + (f", {case.breaker.replace('_', ' ')}" if case.breaker else "") + f", {exploration.way}"


def _statuses(exploration: Exploration, short: bool) -> dict[str, str]:
    return {_name(row.source, short): row.status for row in exploration.conclusions}


def _norms(exploration: Exploration, short: bool) -> dict[str, float | None]:
    rows = exploration.run.measurements if exploration.run else ()
    return {_name(row.source, short): row.norm for row in rows}


def _name(source: str, short: bool) -> str:
    return source.rpartition("/")[2] if short else source
