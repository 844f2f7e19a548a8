"""The picture: decided, placed in a child process, painted by plotly in a component that keeps zoom and selection."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import streamlit as st

from explorer.figure.plot import figure
from explorer.layout.nest import Detail, decide
from explorer.layout.overlay import norms, overlaid
from explorer.layout.stepping import spot
from explorer.layout.values import Nest, Scene
from explorer.layout.way import Way, way
from explorer.layout.worker import place_in_child
from explorer.model.verdict import Exploration
from explorer.rules.palette import ThemeName
from explorer.ui import drawing_library, tools, view
from explorer.ui.style import PICTURE_HEIGHT

_HTML = f"<div class='explorer-graph' style='width:100%;height:{PICTURE_HEIGHT};visibility:hidden'></div>"
_SCRIPT = drawing_library.script("graph.js")


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., object]:
    return st.components.v2.component("explorer_graph", html=_HTML, js=_SCRIPT, isolate_styles=False)


@lru_cache(maxsize=32)
def scene_of(nest: Nest) -> Scene:
    """Where everything stands; the same nest is placed once, whoever asks."""
    return place_in_child(nest)


@lru_cache(maxsize=32)
def _painted(scene: Scene, theme: ThemeName, selected: str, way: Way | None, found: tuple[str, ...]) -> str:
    return str(figure(scene, theme, selected or None, way, found).to_json())


def detail() -> Detail:
    """How much the picture shows."""
    return "nest" if st.session_state.get("detail") == "nest" else "loop"


def scene(exploration: Exploration) -> tuple[Nest, Scene]:
    """What is drawn of an exploration, as detailed and folded as the reader wants it, and where it stands."""
    nest = decide(exploration, detail(), view.folded())
    with st.spinner("Laying out the picture…", show_time=False):
        return nest, scene_of(nest)


def show(
    exploration: Exploration, nest: Nest, placed: Scene, theme: ThemeName, selected: str, found: tuple[str, ...]
) -> None:
    """Draw it."""
    barriers = placed.marks
    told = overlaid(placed, exploration, view.overlay())
    lit = way(nest, view.asked_why(), exploration.flow)
    goal = spot(placed, selected, exploration.flow) if view.jumps() else None
    _component()(
        key="graph",
        data={
            "library": drawing_library.address(),
            "fig": _painted(told, theme, selected, lit, found),
            "key": f"{exploration.case.target}|{detail()}",
            "anchor": selected if selected.startswith("loop:") else "",
            "goal": [view.jumps(), *goal] if goal else None,
            "search": tools.SEARCH,
            "size": [placed.width, placed.height],
            "focus": [barriers[0].x, barriers[0].y] if barriers else None,
            "marks": [[f"barrier:{mark.id}", mark.x, mark.y] for mark in barriers],
            "targets": [[card.id, card.x, card.y, card.w, card.h] for card in placed.cards]
            + [[f"loop:{box.id}", box.x, box.y, box.w, box.h] for box in placed.boxes],
        },
        height="content",
        on_click_change=_clicked,
        on_key_change=_pressed,
    )
    _captions(exploration, placed, lit)


def _clicked() -> None:
    identity = st.session_state["graph"].click
    if identity is None:
        return
    view.select(identity)
    if identity.startswith("source:"):
        view.toggle_why(identity)
    elif not identity:
        view.ask_why("")


def _pressed() -> None:
    pressed = {"next barrier": tools.next_barrier, "up": tools.up}.get(st.session_state["graph"].key)
    if pressed is not None:
        pressed()


def _captions(exploration: Exploration, placed: Scene, lit: Way | None) -> None:
    """What the picture does not say by itself: what is dimmed, what the colours mean, which layout placed it."""
    rows = []
    if lit is not None:
        name = view.asked_why().partition(":")[2]
        what = f"the path of {name} to the loss" if view.asked_why().startswith("source:") else "the path cut here"
        rows.append(f":material/visibility: Lit: {what}; Esc brings all back.")
    if view.overlay() == "norm":
        known = norms(exploration)
        if known.least is None:
            rows.append("No gradient norm is known.")
        else:
            rows.append(f"Gradient norms from {known.least:.2g} (dark) to {known.largest:.2g} (bright).")
    if placed.engine == "fast" and placed.cards:
        rows.append(
            ":material/speed: Placed by the fast layout: edges are not led round cards. Fold loops for a finer one."
        )
    if rows:
        st.caption(" &nbsp; ".join(rows))
