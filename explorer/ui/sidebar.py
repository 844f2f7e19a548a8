"""The sidebar: what to run, and how."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.model.case import WAYS, BadInput
from explorer.strategies.address import SWITCHES
from explorer.strategies.breakers import find_breaker, offered
from explorer.strategies.catalogue import STRATEGIES
from explorer.strategies.options import Option
from explorer.strategies.parse import DEVICES
from explorer.strategies.strategy import SOURCES, Strategy
from explorer.ui import view
from explorer.ui.form import NONE, Cases, cases_of, default_case, in_app, strategy_of, title_of, values_of

FAMILIES = list(dict.fromkeys(row.family for row in STRATEGIES))
_DIMENSIONS = (
    "**Signature**: a size, or None for a dimension that is left open while the model is traced.\n\n"
    "**Run size**: the concrete size used for the run."
)
_NAMES, _FIELDS = 88, 80  # pixels for the name of a dimension and for each of its sizes
FOLDED = ("device", "seed", "timeout", "memory", "wrt", "probe_ops", *(name for name in SWITCHES if name != "probe"))
_ORDER = sorted(STRATEGIES, key=lambda row: FAMILIES.index(row.family))


@dataclass(frozen=True)
class Chosen:
    """``cases`` is empty where something is wrong with the input."""

    cases: Cases
    run: bool
    cancel: bool


def show(running: bool, complaint: str = "") -> Chosen:
    """All widgets; the buttons stand on top, where they are always in sight."""
    top = st.container()
    strategy = _strategy()
    _shapes(strategy)
    _options(strategy)
    _breaker(strategy)
    _how(strategy)
    view.keep(values_of((default_case(strategy.key),)))
    cases, sentence = _cases()
    with top:
        st.markdown("#### Gradient explorer")
        run, cancel = _buttons(running)
        if sentence or complaint:
            st.error(sentence or complaint, icon=":material/error:")
    return Chosen(cases, run, cancel)


def _cases() -> tuple[Cases, str]:
    try:
        return cases_of({str(key): value for key, value in st.session_state.items()}), ""
    except BadInput as refusal:
        return (), in_app(str(refusal))


def _buttons(running: bool) -> tuple[bool, bool]:
    left, right = st.columns([1.5, 1], gap="small")
    run = left.button(
        "Run", type="primary", icon=":material/play_arrow:", shortcut="Ctrl+Enter", width="stretch", key="run",
        help="Build, trace and differentiate the model, and compare with the prediction.",
    )  # fmt: skip
    cancel = right.button("Cancel", icon=":material/stop:", width="stretch", key="cancel", disabled=not running)
    return run, cancel


def _new_strategy() -> None:
    """Another strategy may have other dimensions and options: what it does not know yet gets its usual value."""
    strategy = strategy_of({"strategy": st.session_state["strategy"]})
    usual = values_of((default_case(strategy.key),))
    for name, value in usual.items():
        st.session_state.setdefault(name, value)
    if st.session_state["breaker"] not in _breakers(strategy):
        st.session_state["breaker"] = NONE


def _strategy() -> Strategy:
    st.selectbox(
        "Strategy", [row.key for row in _ORDER], format_func=title_of, key="strategy", on_change=_new_strategy,
        help="One way to build the loop: each runs one file of sample_models.",
    )  # fmt: skip
    strategy = strategy_of({"strategy": st.session_state["strategy"]})
    st.caption(strategy.summary.partition(". ")[0].rstrip(".") + ".", help=_about(strategy))
    return strategy


def _about(strategy: Strategy) -> str:
    pitfalls = "\n".join(f"- {pitfall}" for pitfall in strategy.pitfalls)
    return f"{strategy.summary}\n\n**When.** {strategy.when}\n\n**Pitfalls**\n{pitfalls}"


def _follow(number: int) -> None:
    """A dimension that the signature fixes has that size in the run too."""
    text = str(st.session_state[f"dim {number}"]).strip()
    if text.isdigit():
        st.session_state[f"size {number}"] = text


def _shapes(strategy: Strategy) -> None:
    head = _row()
    head.caption("Input x", help=_DIMENSIONS, width=_NAMES)
    head.caption("signature", width=_FIELDS)
    head.caption("run size", width=_FIELDS)
    for number, name in enumerate(strategy.dims):
        row = _row()
        row.caption(name, width=_NAMES)
        row.text_input(
            f"{name}: signature", key=f"dim {number}", width=_FIELDS, label_visibility="collapsed",
            on_change=_follow, args=(number,),
        )  # fmt: skip
        row.text_input(f"{name}: size", key=f"size {number}", width=_FIELDS, label_visibility="collapsed")


def _row() -> DeltaGenerator:
    """Side by side with fewer parts than columns have: the page is drawn sooner."""
    return st.container(horizontal=True, vertical_alignment="center", gap="xsmall")


def _options(strategy: Strategy) -> None:
    for start in range(0, len(strategy.options), 2):
        for column, option in zip(st.columns(2, gap="small"), strategy.options[start : start + 2], strict=False):
            with column:
                _option(option)


def _option(option: Option) -> None:
    key = f"option {option.key}"
    if option.kind == "choice":
        st.selectbox(option.title, option.choices, key=key, help=option.help)
    elif option.kind == "flag":
        st.toggle(option.title, key=key, help=option.help)
    elif option.kind == "number":
        st.number_input(option.title, option.least, option.most, step=0.1, format="%g", key=key, help=option.help)
    else:
        least, most = (None if limit is None else int(limit) for limit in (option.least, option.most))
        st.number_input(option.title, least, most, step=1, key=key, help=option.help)


def _breakers(strategy: Strategy) -> list[str]:
    """Those that mean something in one of the chosen ways."""
    ways = st.session_state["ways"] or [strategy.way]
    return [NONE, *dict.fromkeys(row.key for way in ways for row in offered(strategy.places, way))]


def _breaker(strategy: Strategy) -> None:
    left, right = st.columns([1.6, 1], gap="small")
    chosen = st.session_state["breaker"]
    left.selectbox(
        "Breaker", dict.fromkeys([*_breakers(strategy), chosen]), key="breaker",
        format_func=lambda key: "none" if key == NONE else find_breaker(key).title_in_case,
        help="A mistake to put into the model, to see what the explorer says about it.",
    )  # fmt: skip
    row = find_breaker(chosen) if chosen != NONE else None
    places = row.places_in(strategy.places) if row else strategy.places
    if st.session_state["place"] not in places:
        st.session_state["place"] = places[0]
    right.selectbox("in", places, key="place", disabled=row is None)
    if row:
        st.code(row.mistake.format(h=row.damaged), language="python", wrap_lines=True)


def _how(strategy: Strategy) -> None:
    st.pills(
        f"Ways (as made: {strategy.way})", WAYS, selection_mode="multi", key="ways",
        help="How the function is run and differentiated; nothing chosen means: the way the strategy is made for.\n\n"
        "- **eager**: a tape round plain calls\n- **graph**: a tape inside `tf.function`\n"
        "- **xla**: the same with `jit_compile`\n- **tf1**: a TF1 graph and session\n\n"
        "Several run one after the other and are shown side by side.",
    )  # fmt: skip
    st.toggle(
        "Watch every iteration", key="probe",
        help="Norms of the loop variables and of their gradients at each iteration of every loop, in a run of its own "
        "after the verdict: see the tab Iterations.",
    )  # fmt: skip
    # Drawn when it is opened: a dozen widgets less that the page waits for.
    more = st.expander("Device, seed, limits, checks", key="more", on_change="rerun")
    if not more.open:
        for name in FOLDED:  # Streamlit 1.67 forgets what a widget held that is no longer drawn
            st.session_state[name] = st.session_state[name]
        return
    with more:
        left, right = st.columns(2, gap="small")
        left.selectbox("Device", DEVICES, key="device")
        right.number_input("Seed", 0, 2**32 - 1, step=1, key="seed")
        left.number_input("Seconds", 0.1, None, step=10.0, format="%g", key="timeout", help="Time limit.")
        right.number_input("MB", 1, None, step=1024, key="memory", help="Memory limit.")
        st.multiselect("Differentiate with respect to", SOURCES, key="wrt", placeholder="every input and variable")
        st.multiselect(
            "Watch these ops too", list(st.session_state["probe_ops"]), key="probe_ops", accept_new_options=True,
            placeholder="name of an op, or pick it in the picture", disabled=not st.session_state["probe"],
        )  # fmt: skip
        st.toggle("Check the numbers", key="check_numbers", help="Compare each gradient with finite differences.")
        st.toggle("Second order", key="second_order", help="Differentiate the gradient's norm once more.")
        st.toggle("Predict only, without running", key="static_only")
