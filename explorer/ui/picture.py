"""The picture: decided, placed in a child process, painted by plotly in a component that keeps zoom and selection."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import streamlit as st

from explorer.figure.plot import figure
from explorer.layout.nest import Detail, decide
from explorer.layout.values import Nest, Scene
from explorer.layout.worker import place_in_child
from explorer.model.verdict import Exploration
from explorer.rules.palette import ThemeName
from explorer.ui import drawing_library, view
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
def _painted(scene: Scene, theme: ThemeName, selected: str | None) -> str:
    return str(figure(scene, theme, selected).to_json())


def detail() -> Detail:
    """How much the picture shows."""
    return "nest" if st.session_state.get("detail") == "nest" else "loop"


def scene(exploration: Exploration) -> tuple[Nest, Scene]:
    """What is drawn of an exploration, as detailed and folded as the reader wants it, and where it stands."""
    nest = decide(exploration, detail(), view.folded())
    with st.spinner("Laying out the picture…", show_time=False):
        return nest, scene_of(nest)


def show(exploration: Exploration, placed: Scene, theme: ThemeName, selected: str) -> None:
    """Draw it."""
    barriers = placed.marks
    key = (exploration.case.target, detail(), round(placed.width), round(placed.height))
    _component()(
        key="graph",
        data={
            "library": drawing_library.address(),
            "fig": _painted(placed, theme, selected or None),
            "key": "|".join(map(str, key)),
            "size": [placed.width, placed.height],
            "focus": [barriers[0].x, barriers[0].y] if barriers else None,
            "marks": [[f"barrier:{mark.id}", mark.x, mark.y] for mark in barriers],
            "targets": [[card.id, card.x, card.y, card.w, card.h] for card in placed.cards]
            + [[f"loop:{box.id}", box.x, box.y, box.w, box.h] for box in placed.boxes],
        },
        height="content",
        on_click_change=_clicked,
    )


def _clicked() -> None:
    identity = st.session_state["graph"].click
    if identity is not None:
        view.select(identity)
