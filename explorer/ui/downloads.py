"""The picture and the result as files, made when they are asked for."""

from __future__ import annotations

import streamlit as st

from explorer.codec.document import document, to_json
from explorer.export.png import png
from explorer.export.svg import svg
from explorer.layout.values import Scene
from explorer.model.verdict import Exploration
from explorer.rules.sentence import verdict
from explorer.ui.verdict import context


def show(exploration: Exploration, placed: Scene) -> None:
    """A button for each kind of file. Files are light: they go into reports."""
    case = exploration.case
    name = "-".join(filter(None, (case.target, (case.breaker or "").replace("@", "-"))))

    def drawing() -> str:
        return svg(placed, "light", context(exploration), verdict(exploration).replace("`", ""))

    _button("SVG", f"{name}.svg", "image/svg+xml", lambda: drawing().encode(), "The picture, as vectors.")
    _button("PNG", f"{name}.png", "image/png", lambda: png(drawing()), "The picture, as pixels.")
    _button("JSON", f"{name}.json", "application/json", lambda: to_json(document(exploration)).encode(), "The result.")


def _button(label: str, file: str, mime: str, made: object, hint: str) -> None:
    st.download_button(
        label, made, file_name=file, mime=mime, on_click="ignore", key=f"download {label}", help=hint,  # type: ignore[arg-type]
        icon=":material/download:",
    )  # fmt: skip
