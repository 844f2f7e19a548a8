"""The scene as a plotly figure: one trace per look, however many ops there are.

Traces that should follow the zoom like a map carry ``meta`` with their size at a zoom of one (``text`` or ``line``, in
pixels). One unseen marker trace named ``targets`` holds the ids that can be hovered and clicked: cards,
``loop:ID`` headers, ``barrier:ID`` signs.
"""

from __future__ import annotations

from collections import defaultdict
from html import escape

import numpy as np
import plotly.graph_objects as go

from explorer.figure.batches import batch
from explorer.figure.legend import add_legend
from explorer.figure.writing import add_texts, header_spans, note_start
from explorer.layout.geometry import Points, arrow, rounded_rectangle
from explorer.layout.glyphs import strokes
from explorer.layout.lit import split
from explorer.layout.sizes import is_chip
from explorer.layout.values import PlacedBox, PlacedCard, Scene
from explorer.layout.way import Way
from explorer.rules.palette import FONT_FAMILY, THEMES, Theme, ThemeName, dimmed, heat
from explorer.rules.statuses import EDGE_STATUSES, look

TARGETS = "targets"
FOUND: dict[ThemeName, str] = {"light": "#8250DF", "dark": "#C8A6FF", "print": "#000000"}
_BAR = 40  # pixels that the column of buttons takes on the right


def figure(
    scene: Scene, theme: ThemeName = "light", selected: str | None = None, way: Way | None = None,
    found: tuple[str, ...] = (),
) -> go.Figure:  # fmt: skip
    """The figure; ``selected`` is an id to be set off, with the edges that touch it; ``found`` are ids to be marked.

    What does not lie on ``way`` is dimmed. Neither adds or moves anything that can be clicked.
    """
    colours = THEMES[theme]
    drawing = go.Figure()
    aside, lit = split(scene, way)
    if way is not None:
        _add_layers(drawing, aside, colours, theme)
        _dim(drawing, colours)
    _add_halo(drawing, lit, colours, selected)
    _add_layers(drawing, lit, colours, theme)
    _add_found(drawing, scene, found, theme)
    _add_outline(drawing, scene, colours, selected)
    _add_targets(drawing, scene)
    add_legend(drawing, scene, colours, theme)
    _lay_out(drawing, scene, colours)
    return drawing


def _add_layers(drawing: go.Figure, scene: Scene, colours: Theme, theme: ThemeName) -> None:
    _add_edges(drawing, scene, theme)
    _add_headers(drawing, scene, colours)
    _add_cards(drawing, scene, colours, theme)
    _add_symbols(drawing, scene, colours, theme)
    add_texts(drawing, scene, colours, theme)


def _dim(drawing: go.Figure, colours: Theme) -> None:
    """Everything drawn so far, its colours gone into the page: transparency would show the lines below the cards."""
    for shape in drawing.layout.shapes:
        shape.fillcolor, shape.line.color = (dimmed(each, colours.page) for each in (shape.fillcolor, shape.line.color))
    for trace in drawing.data:
        if trace.mode == "text":
            faint = dimmed(trace.textfont.color, colours.page)
            trace.update(textfont_color=faint, unselected_textfont_color=faint)
        else:
            trace.line.color = dimmed(trace.line.color, colours.page)
            trace.fillcolor = dimmed(trace.fillcolor, colours.page) if trace.fillcolor else None


def _polygons(drawing: go.Figure, shapes: list[Points], fill: str, line: str, stroke: float, name: str = "") -> None:
    x, y = batch(shapes)
    drawing.add_scatter(
        x=x, y=y, mode="lines", fill="toself", fillcolor=fill, line={"color": line, "width": stroke}, name=name,
        hoverinfo="skip", showlegend=False, meta={"line": stroke},
    )  # fmt: skip


def _lines(
    drawing: go.Figure, shapes: list[Points], colour: str, stroke: float, dash: tuple[int, ...] = (), name: str = "",
    opacity: float = 1.0,
) -> None:  # fmt: skip
    x, y = batch(shapes)
    style = {"color": colour, "width": stroke, "dash": ",".join(f"{part}px" for part in dash) or "solid"}
    drawing.add_scatter(
        x=x, y=y, mode="lines", line=style, name=name, opacity=opacity, hoverinfo="skip", showlegend=False,
        meta={"line": stroke},
    )  # fmt: skip


def _add_edges(drawing: go.Figure, scene: Scene, theme: ThemeName) -> None:
    ways: dict[str, list[Points]] = defaultdict(list)
    heads: dict[str, list[Points]] = defaultdict(list)
    for edge in scene.edges:
        head, way = arrow(edge.points, *((7.0, 3.0) if edge.carried else (9.0, 3.7)))
        ways[edge.status].append(way)
        heads[edge.status].append(head)
    for status in reversed(EDGE_STATUSES):
        if status in ways:
            style = look(status)
            colour = style.colour(theme)
            _lines(drawing, ways[status], colour, style.width, style.dash, style.label)
            _polygons(drawing, heads[status], colour, colour, 0.6)


def _add_headers(drawing: go.Figure, scene: Scene, colours: Theme) -> None:
    """Loop boxes lie below everything as layout shapes; patches of their colour keep lines off the headers' words."""
    patches: dict[str, list[Points]] = defaultdict(list)
    signs: dict[str, list[Points]] = defaultdict(list)
    for box in scene.boxes:
        drawing.add_shape(**_box(box, colours))
        if box.title:
            fill = colours.depth(colours.boxes, box.depth)
            patches[fill] += [rounded_rectangle(x, box.y + 6, w, 19, 6, 2) for x, w in header_spans(box)]
            ink = colours.depth(colours.box_titles, box.depth)
            signs[ink] += [np.array(way) for way in strokes("loop", box.x + 18, box.y + 15.5, 5.2)]
    for fill, shapes in patches.items():
        _polygons(drawing, shapes, fill, fill, 0)
    for ink, ways in signs.items():
        _lines(drawing, ways, ink, 1.5)
    for box in scene.boxes:
        if box.spark:
            ink = colours.depth(colours.box_titles, box.depth)
            _lines(drawing, [np.array(way) for way in box.spark], ink, 1.4, name=f"spark:{box.id}")


def _box(box: PlacedBox, colours: Theme) -> dict[str, object]:
    x, y, r = box.x + box.w, box.y + box.h, 16
    path = (
        f"M{box.x + r},{box.y} L{x - r},{box.y} Q{x},{box.y} {x},{box.y + r} L{x},{y - r} Q{x},{y} {x - r},{y} "
        f"L{box.x + r},{y} Q{box.x},{y} {box.x},{y - r} L{box.x},{box.y + r} Q{box.x},{box.y} {box.x + r},{box.y} Z"
    )
    line = {"color": colours.depth(colours.box_lines, box.depth), "width": 1.4}
    if box.kind == "python":
        line["dash"] = "7px,4px"
    fill = colours.depth(colours.boxes, box.depth)
    return {"type": "path", "path": path, "fillcolor": fill, "line": line, "layer": "below", "name": f"loop:{box.id}"}


def _add_cards(drawing: go.Figure, scene: Scene, colours: Theme, theme: ThemeName) -> None:
    shapes: dict[tuple[str, str, float, tuple[int, ...]], list[Points]] = defaultdict(list)
    for card in scene.cards:
        outline = rounded_rectangle(card.x, card.y, card.w, card.h, colours.cards[card.kind].radius)
        shapes[_card_look(card, colours, theme)].append(outline)
    for (fill, line, stroke, dash), outlines in shapes.items():
        _polygons(drawing, outlines, fill, fill if dash else line, 0 if dash else stroke)
        if dash:
            _lines(drawing, outlines, line, stroke, dash)


def _card_look(card: PlacedCard, colours: Theme, theme: ThemeName) -> tuple[str, str, float, tuple[int, ...]]:
    surface, style = colours.cards[card.kind], look(card.status)
    if card.barrier is not None:
        return colours.barrier_fill, look("blocked").colour(theme), 2.0, ()
    fill = surface.fill if card.tint is None else heat(card.tint)
    if is_chip(card.kind):
        return fill, style.colour(theme), 1.3, style.dash
    return fill, style.colour(theme) if card.kind == "source" else surface.line, 1.3, ()


def _add_symbols(drawing: go.Figure, scene: Scene, colours: Theme, theme: ThemeName) -> None:
    """The status of every source, the pile behind folded ops, the barriers' signs."""
    ways: dict[tuple[str, float], list[Points]] = defaultdict(list)
    for card in scene.cards:
        style = look(card.status)
        if card.kind == "source":
            drawn = strokes(style.symbol, card.x + 14, card.y + card.h / 2, 4.6)
            ways[style.colour(theme), 1.8] += [np.array(way) for way in drawn]
        if card.kind == "run":
            right, bottom = card.x + card.w, card.y + card.h
            pile = [(card.x + 9, bottom + 3), (right - 5, bottom + 3), (right + 3, bottom - 5), (right + 3, card.y + 9)]
            ways[colours.cards["run"].line, 1.0].append(np.array(pile))
    discs = [rounded_rectangle(mark.x - 7.4, mark.y - 7.4, 14.8, 14.8, 7.4) for mark in scene.marks]
    if discs:
        _polygons(drawing, discs, colours.page, colours.page, 0)
    barred = look("blocked").colour(theme)
    notes = [(note_start(box) - 9, box.y + 15.5) for box in scene.boxes if box.note]
    for x, y in notes:
        ways[barred, 1.6] += [np.array(way) for way in strokes("barred", x, y, 4.8)]
    for mark in scene.marks:
        ways[barred, 2.2] += [np.array(way) for way in strokes("barred", mark.x, mark.y, 5.8)]
    for (colour, stroke), rows in ways.items():
        _lines(drawing, rows, colour, stroke)


def _add_halo(drawing: go.Figure, scene: Scene, colours: Theme, selected: str | None) -> None:
    touched = [np.array(edge.points) for edge in scene.edges if selected in (edge.start, edge.end)]
    touched += [np.array(edge.points) for edge in scene.edges if edge.barrier and selected == f"barrier:{edge.barrier}"]
    if touched:
        _lines(drawing, touched, colours.ink, 7.0, opacity=0.16)


def _add_outline(drawing: go.Figure, scene: Scene, colours: Theme, selected: str | None) -> None:
    """What was clicked, set off by a ring; a barrier by its sign and its card."""
    rings = [
        rounded_rectangle(card.x - 4.5, card.y - 4.5, card.w + 9, card.h + 9, 12)
        for card in scene.cards
        if selected == card.id or (card.barrier and selected == f"barrier:{card.barrier}")
    ]
    rings += [rounded_rectangle(box.x, box.y, box.w, box.h, 16) for box in scene.boxes if selected == f"loop:{box.id}"]
    if rings:
        _lines(drawing, rings, colours.ink, 2.6)


def _add_found(drawing: go.Figure, scene: Scene, found: tuple[str, ...], theme: ThemeName) -> None:
    """What a search has found, ringed by dashes."""
    wanted = set(found)
    rings = [
        rounded_rectangle(card.x - 4, card.y - 4, card.w + 8, card.h + 8, 11)
        for card in scene.cards
        if card.id in wanted
    ]
    rings += [
        rounded_rectangle(box.x + 7, box.y + 4, width + 6, 23, 8)
        for box in scene.boxes
        if f"loop:{box.id}" in wanted
        for _, width in header_spans(box)[:1]
    ]
    if rings:
        _lines(drawing, rings, FOUND[theme], 2.4, (5, 3), "found")


def _add_targets(drawing: go.Figure, scene: Scene) -> None:
    rows = [(card.id, card.x + card.w / 2, card.y + card.h / 2, card.hint) for card in scene.cards]
    rows += [(f"loop:{box.id}", box.x + min(box.w / 2, 70), box.y + 15.5, box.hint) for box in scene.boxes]
    rows += [(f"barrier:{mark.id}", mark.x, mark.y, mark.hint) for mark in scene.marks]
    texts = [escape(hint).replace(" · ", "<br>") for *_, hint in rows]
    drawing.add_scatter(
        x=np.array([row[1] for row in rows]), y=np.array([row[2] for row in rows]), mode="markers", name=TARGETS,
        ids=[row[0] for row in rows], customdata=[row[0] for row in rows], text=texts, showlegend=False,
        marker={"size": 30, "opacity": 0, "symbol": "square"}, hovertemplate="%{text}<extra></extra>",
        unselected={"marker": {"opacity": 0}}, selected={"marker": {"opacity": 0}},
    )  # fmt: skip


def _lay_out(drawing: go.Figure, scene: Scene, colours: Theme) -> None:
    axis = {"visible": False, "constrain": "range", "fixedrange": False}
    drawing.update_layout(
        template="none", hovermode="closest", hoverdistance=30, dragmode="pan", uirevision="scene", clickmode="event",
        margin={"l": 4, "r": _BAR, "t": 4, "b": 4}, paper_bgcolor=colours.page, plot_bgcolor=colours.page,
        font={"family": FONT_FAMILY, "color": colours.ink}, autosize=True,
        meta={"width": scene.width, "height": scene.height},
        xaxis={**axis, "range": [0, scene.width]},
        yaxis={**axis, "range": [scene.height, 0], "scaleanchor": "x"},
        legend={"x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "orientation": "h", "bgcolor": "rgba(0,0,0,0)",
                "itemclick": False, "itemdoubleclick": False, "font": {"size": 12}, "itemsizing": "trace"},
        modebar={"orientation": "v", "bgcolor": "rgba(0,0,0,0)", "color": colours.faint, "activecolor": colours.ink},
        hoverlabel={"bgcolor": colours.cards["op"].fill, "bordercolor": colours.box_lines[1], "align": "left",
                    "font": {"size": 11, "color": colours.ink, "family": FONT_FAMILY}, "namelength": -1},
    )  # fmt: skip
