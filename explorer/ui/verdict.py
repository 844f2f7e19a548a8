"""The answer in one sentence, how the run ended, and how far a running one has come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from explorer.client import Engine
from explorer.model.verdict import STAGES, Exploration, Stage
from explorer.rules.sentence import place, verdict
from explorer.strategies.catalogue import find_strategy
from explorer.ui import session
from explorer.usecases.findings import findings

DOING: dict[Stage, str] = {
    "start": "Starting a process",
    "build": "Building the model",
    "trace": "Tracing",
    "predict": "Predicting",
    "backward": "Running backward",
    "probe": "Counting iterations",
}
ENDED = {
    "raised": "The program raised an error",
    "crashed": "The process crashed",
    "timed_out": "The time limit was reached",
    "out_of_memory": "The memory limit was reached",
    "cancelled": "Cancelled",
}
LOADING = "TensorFlow is loading…"

_Banner = tuple[Callable[..., Any], str]


def show(exploration: Exploration) -> None:
    """The sentence with its severity; below it whatever went wrong beside."""
    banner, icon = _severity(exploration)
    banner(verdict(exploration), icon=icon)
    _ending(exploration)
    for disagreement in exploration.disagreements:
        st.warning(disagreement.sentence, icon=":material/balance:")


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
    ended = ENDED[str(exploration.outcome)]
    at = f" ({place(failure.location)})" if failure.location else ""
    with st.expander(f"{ended} while {DOING[failure.stage].lower()}: {failure.type}{at}"):
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


def progress(desk: session.Desk, engine: Engine) -> None:
    """Stages while a job runs, redrawn by itself; a quiet line while TensorFlow loads."""
    st.session_state["drawn"] = desk.progress()
    if desk.running:
        _follow()
    elif not engine.ready:
        _await_engine()


@st.fragment(run_every=0.3)
def _follow() -> None:
    desk, engine = session.desk(), session.engine()
    if desk.progress() != st.session_state.get("drawn") or not desk.running:
        st.rerun()
    exploration = desk.latest
    if exploration is None:
        return
    done = STAGES.index(exploration.stage)
    names = [f"**{DOING[stage]}**" if stage == exploration.stage else DOING[stage] for stage in STAGES[1:]]
    waiting = LOADING if not engine.ready and exploration.stage == "start" else ""
    st.progress((done + 0.5) / len(STAGES), text=waiting or " › ".join(names))


@st.fragment(run_every=0.5)
def _await_engine() -> None:
    if session.engine().ready:
        st.rerun()
    st.caption(LOADING)
