"""How the reader looks at the result: what is selected, folded and shown; plain strings that go into the URL."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import streamlit as st

from explorer.layout.overlay import Overlay
from explorer.model.case import WAYS

DETAILS = {"loop": "Loops and ops", "nest": "Loops only"}
OVERLAYS: dict[Overlay, str] = {"status": "Status", "norm": "Gradient norm", "type": "Type and shape"}
FOLD_SEPARATOR = ";"
PAGES = {"explore": "Explore one", "compare": "Compare strategies"}
USUAL = {
    "detail": "loop", "folded": "", "selected": "", "shown": "", "page": "explore", "why": "", "overlay": "status",
    "find": "",
}  # fmt: skip
"""Parameters of the page's own, beside those of the case."""


def fill(query: dict[str, str]) -> None:
    """Take the view of a URL over, before any widget is made."""
    for name, usual in USUAL.items():
        st.session_state[name] = query.get(name, usual)
    if st.session_state["detail"] not in DETAILS:
        st.session_state["detail"] = USUAL["detail"]
    if st.session_state["overlay"] not in OVERLAYS:
        st.session_state["overlay"] = USUAL["overlay"]
    if st.session_state["page"] not in PAGES:
        st.session_state["page"] = USUAL["page"]
    if st.session_state["shown"] not in WAYS:
        st.session_state["shown"] = USUAL["shown"]


def keep(names: Iterable[str]) -> None:
    """Remember these settings: a run of the page that ends before its widgets takes their values with it."""
    known = [name for name in (*names, *USUAL) if name in st.session_state]
    st.session_state["kept"] = {name: st.session_state[name] for name in known}


def bring_back(folded: Collection[str] = ()) -> None:
    """Give the widgets what a run that ended early took. Called before any widget is made.

    Streamlit 1.67: where two runs follow each other, a busy browser may draw the second one's widgets without the
    values that came with the first, and send them all back empty. No reader can empty every dimension at once. What is
    ``folded`` away comes later, and with its values.
    """
    kept = st.session_state.get("kept", {})
    dims = [name for name in kept if name.startswith("dim ")]
    emptied = bool(dims) and all(st.session_state.get(name) == "" for name in dims)
    for name, value in kept.items():
        if name not in st.session_state or (emptied and name not in folded):
            st.session_state[name] = value


def query() -> dict[str, str]:
    """What of the view is not usual."""
    view = {name: st.session_state.get(name) or usual for name, usual in USUAL.items()}
    return {name: value for name, value in view.items() if value != USUAL[name]}


def choose_page() -> None:
    """One strategy looked into, or several beside each other."""
    st.segmented_control(
        "Page", list(PAGES), key="page", format_func=PAGES.__getitem__, required=True, label_visibility="collapsed"
    )


def page() -> str:
    """The page that the reader has chosen."""
    return str(st.session_state.get("page") or USUAL["page"])


def folded() -> frozenset[str]:
    """The loops that the reader has folded."""
    return frozenset(filter(None, st.session_state.get("folded", "").split(FOLD_SEPARATOR)))


def fold(loop: str) -> None:
    """Fold this loop, or unfold it."""
    st.session_state["folded"] = FOLD_SEPARATOR.join(sorted(folded() ^ {loop}))


def select(identity: str) -> None:
    """Show the details of this; nothing for an empty id."""
    st.session_state["selected"] = identity


def selected() -> str:
    """What was clicked last."""
    return str(st.session_state.get("selected", ""))


def jump(identity: str) -> None:
    """Select this, and bring it into sight."""
    select(identity)
    st.session_state["jumps"] = jumps() + 1


def jumps() -> int:
    """How often the reader has asked to be taken somewhere: a new number takes the picture there."""
    return int(st.session_state.get("jumps", 0))


def ask_why(identity: str) -> None:
    """Dim everything but the way of this source or barrier; nothing for an empty id."""
    st.session_state["why"] = identity


def toggle_why(identity: str) -> None:
    """Dim everything but the way of this, or bring all back."""
    ask_why("" if asked_why() == identity else identity)


def asked_why() -> str:
    """The source or barrier whose way is lit."""
    return str(st.session_state.get("why", ""))


def overlay() -> Overlay:
    """What the cards tell."""
    found = st.session_state.get("overlay")
    return found if found in OVERLAYS else "status"


def wanted() -> str:
    """What is searched for."""
    return str(st.session_state.get("find") or "").strip()
