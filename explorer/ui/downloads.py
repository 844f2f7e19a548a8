"""The picture, the graph and the result as files, made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from explorer.export.files import WRITERS, Sheet
from explorer.layout.values import Nest, Scene
from explorer.layout.way import way
from explorer.model.verdict import Exploration
from explorer.report.content import part
from explorer.report.render import html
from explorer.rules.palette import THEMES, ThemeName
from explorer.rules.sentence import plain_verdict
from explorer.ui import view
from explorer.ui.verdict import context

KINDS = {
    ".svg": ("SVG", "image/svg+xml", "The picture as vectors, its words as words."),
    ".png": ("PNG", "image/png", "The picture as pixels."),
    ".pdf": ("PDF", "application/pdf", "The picture as vectors, one page of its size."),
    ".html": ("HTML", "text/html", "The picture as a page that moves and zooms, without a network."),
    ".dot": ("DOT", "text/vnd.graphviz", "What the picture shows, for Graphviz."),
    ".graphml": ("GraphML", "application/xml", "Every op with its status, for yEd, Gephi or networkx."),
    ".json": ("JSON", "application/json", "The whole result, as on the command line."),
}


def show(exploration: Exploration, nest: Nest, placed: Scene) -> None:
    """One button that opens the choice."""
    snapshot = exploration.snapshot
    if snapshot is None:
        return
    case = exploration.case
    name = "-".join(filter(None, (case.target, (case.breaker or "").replace("@", "-"))))
    with st.popover("Export", icon=":material/download:"):
        theme: ThemeName | None = st.segmented_control(
            "Colours of the picture", list(THEMES), default="light", key="export colours",
            help="Files are light: they go into reports. Print is made of greys that a black and white printer keeps.",
        )  # fmt: skip
        lit = way(nest, view.asked_why(), exploration.flow)
        told = plain_verdict(exploration)
        sheet = Sheet(
            exploration, snapshot, nest, lambda _: placed, context(exploration), told, theme or "light", way=lit
        )
        _button("Report", f"{name}-report.html", "text/html", partial(_report, exploration, placed),
                "Verdict, picture, barriers with their lines, versions and the command, in one page.")  # fmt: skip
        columns = st.columns(2, gap="small")
        for number, (suffix, (label, mime, hint)) in enumerate(KINDS.items()):
            with columns[number % 2]:
                _button(label, name + suffix, mime, partial(WRITERS[suffix], sheet), hint)


def _report(exploration: Exploration, placed: Scene) -> bytes:
    found = part(exploration, lambda _: placed)
    return html(found.title, (found,)).encode()


def _button(label: str, file: str, mime: str, made: Callable[[], bytes], hint: str) -> None:
    st.download_button(
        label, made, file_name=file, mime=mime, on_click="ignore", key=f"download {label}", help=hint, width="stretch",
        icon=":material/download:",
    )  # fmt: skip
