"""The answer in one sentence, how the run ended, and how far a running one has come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from explorer.model.graph import Location
from explorer.model.verdict import STAGES, Exploration, Risk
from explorer.rules.sentence import place, verdict
from explorer.strategies.catalogue import find_strategy
from explorer.ui import code, session
from explorer.ui.words import DOING, ENDED
from explorer.usecases.findings import findings

LOADING = "TensorFlow is loading…"
# Seconds between two looks at the job. Each makes the browser draw again, which it cannot do while it still draws its
# first page: that would be usable only seconds later.
_OFTEN, _SELDOM = 0.3, 1.5

_Banner = tuple[Callable[..., Any], str]


def show(exploration: Exploration) -> None:
    """The sentence with its severity; below it whatever went wrong beside."""
    banner, icon = _severity(exploration)
    banner(verdict(exploration), icon=icon)
    _ending(exploration)
    for disagreement in exploration.disagreements:
        st.warning(disagreement.sentence, icon=":material/balance:")
    for bad in exploration.numerics[:1]:  # the others are in the panel of numbers
        st.error(f"{bad.sentence}{_at(bad.location)}", icon=":material/function:")
    for sentence in dict.fromkeys(map(_risk, exploration.flow.risks if exploration.flow else ())):
        st.warning(sentence, icon=":material/warning:")
    for note in exploration.notes:
        st.info(note, icon=":material/lightbulb:")


def _risk(risk: Risk) -> str:
    """What is known of TensorFlow's own backward pass, before it has run as well as after."""
    where = place(risk.location) or risk.op_type
    return f"**Known trouble at {where}**: {risk.sentence}"


def _at(location: Location | None) -> str:
    return f" ({place(location)})" if location else ""


def _severity(exploration: Exploration) -> _Banner:
    if exploration.outcome is None:
        return st.info, ":material/hourglass_empty:"
    if exploration.outcome in ("crashed", "timed_out", "out_of_memory", "cancelled"):
        return st.warning, ":material/report:"
    if exploration.disagreements or findings(exploration):
        return st.error, ":material/block:"
    if findings(exploration, strict=True):
        return st.warning, ":material/warning:"
    return st.success, ":material/check_circle:"


def _ending(exploration: Exploration) -> None:
    """What the sentence leaves out: the stage, the line, the traceback."""
    failure = exploration.failure
    if failure is None or exploration.outcome in (None, "done", "cancelled"):
        return
    ended = ENDED[exploration.outcome]
    if failure.location is not None:
        code.excerpt(exploration, failure.location, code.Note(failure.type))
    with st.expander(f"{ended} while {DOING[failure.stage].lower()}: {failure.type}{_at(failure.location)}"):
        st.code(failure.detail or failure.message, language=None, wrap_lines=True)


def context(exploration: Exploration) -> str:
    """One quiet line: what was run."""
    case = exploration.case
    strategy = find_strategy(case.target)
    words = [strategy.title if strategy else case.target]
    words += [f"{name} {value}" for name, value in case.options]
    words += [f"breaker {case.breaker}"] if case.breaker else []
    words += [f"way {exploration.way}"] if exploration.way else []
    words += [exploration.surroundings.device] if exploration.surroundings.device else []
    total = exploration.seconds.get("total")
    words += [f"{total:.2f} s"] if total is not None else []
    return " · ".join(words)


def progress(desk: session.Desk, seen: session.Seen) -> None:
    """Stages while a job runs, redrawn by itself; a quiet line while TensorFlow loads. ``seen`` is what is drawn."""
    every = _OFTEN if "drawn" in st.session_state else _SELDOM
    st.session_state["drawn"] = seen
    st.session_state["just drawn"] = True
    if not session.engine_ready():
        st.fragment(_load, run_every=every)()
    elif seen.running or desk.running:
        st.fragment(_follow, run_every=every)()


def _asked_by_the_browser() -> bool:
    """Whether this part of the page is drawn again by itself: the browser has had time for the whole page by then."""
    return not st.session_state.pop("just drawn", False)


def _load() -> None:
    desk = session.desk()
    if _asked_by_the_browser():
        session.prepare()
        desk.tend()
        if session.engine_ready() or desk.seen() != st.session_state.get("drawn"):
            st.rerun()
    st.caption(LOADING)


def _follow() -> None:
    desk = session.desk()
    if _asked_by_the_browser():
        desk.tend()
        if desk.seen() != st.session_state.get("drawn"):
            st.rerun()
    working = next((each for each in desk.explorations if each.outcome is None), None)
    if working is None:
        return
    done = STAGES.index(working.stage)
    names = [f"**{DOING[stage]}**" if stage == working.stage else DOING[stage] for stage in STAGES[1:]]
    way = f"{len(desk.explorations)} of {len(desk.cases)}, {working.case.way}: " if len(desk.cases) > 1 else ""
    st.progress((done + 0.5) / len(STAGES), text=way + " › ".join(names))
