"""Above the picture: search, the next barrier, what the keys do."""

from __future__ import annotations

import streamlit as st

from explorer.layout.finding import Found, find
from explorer.layout.stepping import above, after
from explorer.layout.values import Nest
from explorer.model.verdict import Exploration
from explorer.ui import view

SEARCH = "Search the picture"
KEYS = """
| key | |
|---|---|
| `/` | search |
| `n` | next barrier |
| `f` | fit the whole picture |
| `u` or `Esc` | undim, then up a level |
"""


def show(exploration: Exploration, nest: Nest, selected: str) -> Found:
    """Draw it; returns what the search has found."""
    barriers = [f"barrier:{barrier.id}" for barrier in (exploration.flow.barriers if exploration.flow else ())]
    st.session_state["next barrier"] = after(barriers, view.asked_why() or (selected if view.selected() else ""))
    st.session_state["above"] = above(nest, selected)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="tools"):
        st.text_input(
            SEARCH, key="find", placeholder="MatMul, line 34, blocked …", label_visibility="collapsed", width=230,
            icon=":material/search:",
        )  # fmt: skip
        found = find(nest, exploration.snapshot, view.wanted()) if exploration.snapshot else Found()
        if view.wanted():
            _matches(found, selected)
        st.space("stretch")
        st.button(
            "Next barrier", key="to next barrier", icon=":material/block:", disabled=not barriers, help="Key: n",
            on_click=next_barrier,
        )  # fmt: skip
    return found


def keys() -> None:
    """What the keys do."""
    with st.popover(" ", icon=":material/keyboard:", help="Keys"):
        st.markdown(KEYS)


def _matches(found: Found, selected: str) -> None:
    """How many, which of them, and the way from one to the next."""
    shown = list(found.shown)
    for step, icon, label in ((-1, "chevron_left", "Previous match"), (1, "chevron_right", "Next match")):
        st.button(
            "", key=label, icon=f":material/{icon}:", help=label, disabled=not shown,
            on_click=view.jump, args=(after(shown, selected, step),),
        )  # fmt: skip
    st.caption(told(found, selected), width="content")


def told(found: Found, selected: str) -> str:
    """The search's answer in words."""
    count = len(found.shown)
    place = f"{found.shown.index(selected) + 1} of {count}" if selected in found.shown else f"{count} found"
    words = [place if count else "nothing found" if not found.plumbing else "nothing shown"]
    words += [f"{number} folded away in “{name}”" for name, number in found.folded[:2]]
    more = sum(number for _, number in found.folded[2:])
    words += [f"{more} in other folded cards"] if more else []
    words += [f"{found.plumbing} folded away as plumbing"] if found.plumbing else []
    return ", ".join(words)


def next_barrier() -> None:
    """Go to it and light the path it cuts."""
    barrier = st.session_state.get("next barrier", "")
    if barrier:
        view.jump(barrier)
        view.ask_why(barrier)


def up() -> None:
    """Bring everything back; where nothing is dimmed, select the level above."""
    if view.asked_why():
        view.ask_why("")
    else:
        view.select(st.session_state.get("above", ""))
