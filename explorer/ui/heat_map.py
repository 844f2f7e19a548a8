"""The heat map on the page: plotly in a component, a click that leads to the picture, downloads."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import streamlit as st

from explorer.export.heat import Panel, heat_svg
from explorer.export.png import png
from explorer.figure.heat import heat_figure
from explorer.model.verdict import Exploration
from explorer.rules.grid import Grid
from explorer.rules.palette import ThemeName
from explorer.ui import drawing_library, view

_HTML = "<div class='explorer-heat' style='width:100%;visibility:hidden'></div>"
_SCRIPT = drawing_library.script("heat.js")


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., object]:
    return st.components.v2.component("explorer_heat", html=_HTML, js=_SCRIPT, isolate_styles=False)


@lru_cache(maxsize=16)
def _painted(table: Grid, theme: ThemeName) -> str:
    return str(heat_figure(table, theme).to_json())


def show(table: Grid, card: str, theme: ThemeName) -> None:
    """Draw it; a click selects ``card`` in the picture."""
    found = _component()(
        key="heat",
        data={"library": drawing_library.address(), "fig": _painted(table, theme), "target": card},
        height="content",
        on_click_change=_clicked,
    )
    if getattr(found, "click", None) is not None:  # this part of the page alone would leave the picture as it is
        st.rerun()


def _clicked() -> None:
    clicked = st.session_state["heat"].click
    if clicked is not None:
        view.select(clicked)


def downloads(exploration: Exploration, table: Grid, sentence: str) -> None:
    """The map as a file, light: it goes into reports."""
    name = re.sub(r"[^\w.]+", "-", f"{exploration.case.target} {table.title}").strip("-")

    def drawing() -> str:
        return heat_svg([Panel(table, sentence)], "light", exploration.case.target)

    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("Click the map to find the variable in the picture.", width="content")
        st.space("stretch")
        _button("SVG", f"{name}.svg", "image/svg+xml", lambda: drawing().encode())
        _button("PNG", f"{name}.png", "image/png", lambda: png(drawing()))


def _button(label: str, file: str, mime: str, made: Callable[[], bytes]) -> None:
    st.download_button(
        f"Map as {label}", made, file_name=file, mime=mime, on_click="ignore", key=f"download heat {label}",
        icon=":material/download:",
    )  # fmt: skip
