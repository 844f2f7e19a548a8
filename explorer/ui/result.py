"""One exploration as the reader sees it: the picture, the details beside it, the tables below."""

from __future__ import annotations

import streamlit as st

from explorer.model.verdict import Exploration
from explorer.rules.palette import ThemeName
from explorer.ui import details, downloads, panels, picture, tools, view


def show(exploration: Exploration, theme: ThemeName) -> None:
    """Everything about it but the verdict."""
    left, right = st.columns([3.1, 1.15], gap="medium")
    with left:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.segmented_control(
                "Detail", list(view.DETAILS), key="detail", format_func=view.DETAILS.__getitem__,
                label_visibility="collapsed",
            )  # fmt: skip
            st.segmented_control(
                "Overlay", list(view.OVERLAYS), key="overlay", format_func=view.OVERLAYS.__getitem__, required=True,
                label_visibility="collapsed",
            )  # fmt: skip
            nest, placed = picture.scene(exploration)
            st.space("stretch")
            tools.keys()
            downloads.show(exploration, nest, placed)
        selected = details.effective(exploration, nest, view.selected())
        found = tools.show(exploration, nest, selected)
        picture.show(exploration, nest, placed, theme, selected, found.shown)
    with right, st.container(key="details"):
        details.show(exploration, placed, selected, theme)
    panels.show(exploration, nest, theme)
