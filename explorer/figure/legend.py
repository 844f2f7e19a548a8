"""The figure's legend: one unseen trace for every look that the scene has, so that zooming leaves it alone."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from explorer.layout.values import Scene
from explorer.rules.palette import Theme, ThemeName
from explorer.rules.statuses import EDGE_STATUSES, look

_KINDS = {"slot": "square", "next": "square", "run": "square"}


def add_legend(drawing: go.Figure, scene: Scene, colours: Theme, theme: ThemeName) -> None:
    """Edges by status, then the barrier's sign, then the kinds of card that need a word."""
    edges = {edge.status for edge in scene.edges}
    for status in EDGE_STATUSES:
        if status in edges:
            style = look(status)
            dash = ",".join(f"{part}px" for part in style.dash) or "solid"
            line = {"color": style.colour(theme), "width": style.width, "dash": dash}
            _entry(drawing, style.label, mode="lines", line=line)
    barred = look("blocked").colour(theme)
    if scene.marks:
        _entry(drawing, "barrier: the gradient stops here", marker=_marker("circle-x-open", colours.page, barred))
    kinds = {card.kind for card in scene.cards}
    for kind, symbol in _KINDS.items():
        if kind in kinds:
            surface = colours.cards[kind]
            _entry(drawing, surface.label, marker=_marker(symbol, surface.fill, surface.line))
    if any(box.kind == "python" for box in scene.boxes):
        line = {"color": colours.box_lines[1], "width": 1.4, "dash": "7px,4px"}
        _entry(drawing, "unrolled Python loop, one iteration shown", mode="lines", line=line)


def _marker(symbol: str, fill: str, line: str) -> dict[str, Any]:
    return {
        "symbol": symbol,
        "size": 12,
        "color": line if "open" in symbol else fill,
        "line": {"color": line, "width": 1.6},
    }


def _entry(drawing: go.Figure, name: str, mode: str = "markers", **look_of_it: Any) -> None:
    drawing.add_scatter(x=[None], y=[None], name=name, mode=mode, hoverinfo="skip", showlegend=True, **look_of_it)
