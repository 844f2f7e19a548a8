"""The page's settings in its URL: a link, a reload and the back button reproduce them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from explorer.model.case import BadInput, Case
from explorer.strategies.address import case_from_query, case_to_query
from explorer.strategies.catalogue import STRATEGIES, find_strategy
from explorer.strategies.wording import unknown
from explorer.ui import picture
from explorer.ui.form import default_case, values_of

USUAL = {"detail": "loop", "folded": "", "selected": ""}
"""Parameters of the page's own, beside those of the case."""


def read() -> tuple[Case | None, str]:
    """The case that a new URL asks for, None where the URL is the one this page wrote; and a sentence if it is wrong.

    The widgets and the view are filled from it. This must happen before any widget is made.
    """
    query = dict(st.query_params)
    if st.session_state.get("url") == query:
        return None, ""
    first = "url" not in st.session_state
    st.session_state["url"] = query
    try:
        case, sentence = _case(query), ""
    except BadInput as refusal:
        sentence = f"The address of this page cannot be used. {refusal}"
        if not first:
            return None, sentence
        case = default_case()
    _fill(values_of(case))
    for name in USUAL:
        st.session_state[name] = query.get(name, USUAL[name])
    if st.session_state["detail"] not in picture.DETAILS:
        st.session_state["detail"] = USUAL["detail"]
    return case, sentence


def _case(query: dict[str, str]) -> Case:
    if "target" not in query:
        return default_case()
    if find_strategy(query["target"]) is None:  # a link must not be able to run a file of the server's
        raise unknown("strategy", query["target"], [row.key for row in STRATEGIES])
    return case_from_query(query)


def _fill(values: dict[str, Any]) -> None:
    for name, value in values.items():
        st.session_state[name] = value


def _view() -> dict[str, str]:
    view = {name: st.session_state.get(name) or usual for name, usual in USUAL.items()}
    return {name: value for name, value in view.items() if value != USUAL[name]}


def write(case: Case) -> None:
    """Put the settings into the URL."""
    query = case_to_query(case) | _view()
    if query != st.session_state.get("url"):
        st.session_state["url"] = query
        st.query_params.from_dict(query)
