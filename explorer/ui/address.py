"""The page's settings in its URL: a link, a reload and the back button reproduce them.

The query is that of a case; where it is to run in several ways, ``way`` names them all: ``way=eager,xla``. Watching
every iteration is usual here, and only ``probe=0`` is written.
"""

from __future__ import annotations

import time
from dataclasses import replace

import streamlit as st

from explorer.model.case import BadInput, Case
from explorer.strategies.address import case_from_query, case_to_query
from explorer.strategies.catalogue import STRATEGIES, find_strategy
from explorer.strategies.wording import unknown
from explorer.ui import view
from explorer.ui.form import Cases, default_case, in_app, values_of

WAY_SEPARATOR = ","
_SETTLING = 2.0  # seconds


def read() -> tuple[Cases, str]:
    """The cases that a new URL asks for, none where the URL is the one this page wrote; and a sentence if it is wrong.

    The widgets and the view are filled from it. This must happen before any widget is made.
    """
    query = dict(st.query_params)
    if st.session_state.get("url") == query or _late(query):
        return (), ""
    first = "url" not in st.session_state
    st.session_state["url"] = query
    try:
        cases, sentence = _cases(query), ""
    except BadInput as refusal:
        sentence = f"The address of this page cannot be used. {in_app(str(refusal))}"
        if not first:
            return (), sentence
        cases = (default_case(),)
    for name, value in values_of(cases).items():
        st.session_state[name] = value
    view.fill(query)
    return cases, sentence


def _late(query: dict[str, str]) -> bool:
    """Whether the browser has not yet taken over the URL that was written a moment ago.

    A click on Run right after a choice would otherwise bring back what was chosen before.
    """
    left, when = st.session_state.get("url left", (None, 0.0))
    return left == query and time.monotonic() - when < _SETTLING


def _cases(query: dict[str, str]) -> Cases:
    if "target" not in query:
        return (default_case(),)
    if find_strategy(query["target"]) is None:  # a link must not be able to run a file of the server's
        raise unknown("strategy", query["target"], [row.key for row in STRATEGIES])
    ways = dict.fromkeys(query.get("way", "").split(WAY_SEPARATOR))
    return tuple(case_from_query({"probe": "1", **query, "way": way}) for way in ways)


def write(cases: Cases) -> None:
    """Put the settings into the URL."""
    query = {"probe": "0"} | case_to_query(_without_way(cases[0])) | view.query()
    if query["probe"] == "1":  # as usual
        del query["probe"]
    ways = WAY_SEPARATOR.join(case.way for case in cases if case.way)
    if ways:
        query["way"] = ways
    if query != st.session_state.get("url"):
        st.session_state["url left"] = (st.session_state.get("url"), time.monotonic())
        st.session_state["url"] = query
        st.query_params.from_dict(query)


def _without_way(case: Case) -> Case:
    return replace(case, way=None)
