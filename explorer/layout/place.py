"""Place a decided nest: rectangles and polylines from a layout engine, dressed into a scene."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from explorer.layout.dot import run_dot
from explorer.layout.fast import run_fast
from explorer.layout.geometry import Points, along, plain, smooth, thinned, to_border
from explorer.layout.raw import Raw, Rectangle
from explorer.layout.sizes import MANY_CARDS, header, lines
from explorer.layout.spark import spark_lines
from explorer.layout.tracks import track
from explorer.layout.values import Nest, PlacedBox, PlacedCard, PlacedEdge, PlacedMark, Scene

PAGE_MARGIN = 16.0
MARK_DISTANCE = 17.0


def place(nest: Nest) -> Scene:
    """The scene by dot; by the fast layout where dot would take too long."""
    if not nest.cards and not nest.boxes:
        return Scene(2 * PAGE_MARGIN, 2 * PAGE_MARGIN, (), (), (), (), nest.hidden)
    if len(nest.cards) > MANY_CARDS:
        return place_fast(nest)
    return _dress(nest, run_dot(nest), "dot")


def place_fast(nest: Nest) -> Scene:
    """The scene by the fast layout: positions good, edges not led round cards."""
    if not nest.cards and not nest.boxes:
        return Scene(2 * PAGE_MARGIN, 2 * PAGE_MARGIN, (), (), (), (), nest.hidden, "fast")
    return _dress(nest, run_fast(nest), "fast")


def _dress(nest: Nest, raw: Raw, engine: str) -> Scene:
    routes = {**raw.routes, **_carried(nest, raw)}
    ways = routes  # the fast layout's curves begin and end on their cards
    if engine == "dot":
        ways = {number: _ends(nest, raw, number, way) for number, way in routes.items()}
    corners = [(x, y) for x, y, _, _ in _rectangles(raw)] + [(x + w, y + h) for x, y, w, h in _rectangles(raw)]
    every = np.vstack([np.array(corners), *ways.values()])
    origin = every.min(axis=0) - PAGE_MARGIN
    width, height = every.max(axis=0) - origin + PAGE_MARGIN
    shift = (-float(origin[0]), -float(origin[1]))
    edges = tuple(_edge(nest, number, way + shift) for number, way in sorted(ways.items()))
    return Scene(
        width=round(float(width), 1),
        height=round(float(height), 1),
        boxes=_boxes(nest, raw, shift),
        cards=_cards(nest, raw, shift),
        edges=edges,
        marks=_marks(nest, edges),
        hidden=nest.hidden,
        engine=engine,
    )


def _rectangles(raw: Raw) -> list[Rectangle]:
    return [*raw.cards.values(), *raw.boxes.values()]


def _carried(nest: Nest, raw: Raw) -> dict[int, Points]:
    """Tracks, the topmost chip's innermost: then they cross least."""
    lanes: dict[str, list[int]] = defaultdict(list)
    for number, link in enumerate(nest.links):
        if link.carried in raw.boxes:
            lanes[link.carried].append(number)
    found = {}
    for loop, numbers in lanes.items():
        numbers.sort(key=lambda number: (raw.cards[nest.links[number].end][0], number))
        for lane, number in enumerate(numbers):
            link = nest.links[number]
            found[number] = track(raw.cards[link.start], raw.cards[link.end], raw.boxes[loop], lane, len(numbers))
    return found


def _ends(nest: Nest, raw: Raw, number: int, way: Points) -> Points:
    link = nest.links[number]
    if link.carried:
        return way
    way = to_border(way, raw.cards[link.end])
    return thinned(smooth(to_border(way[::-1], raw.cards[link.start])[::-1]))


def _boxes(nest: Nest, raw: Raw, shift: tuple[float, float]) -> tuple[PlacedBox, ...]:
    found = []
    for box in nest.boxes:
        if box.id not in raw.boxes:
            continue
        x, y, w, h = raw.boxes[box.id]
        title, subtitle = header(box, w)
        corner = (round(x + shift[0], 1), round(y + shift[1], 1))
        size = (round(w, 1), round(h, 1))
        spark = spark_lines(box, corner, w, title, subtitle)
        texts = (title, subtitle, box.note, box.hint)
        found.append(PlacedBox(box.id, box.depth, box.kind, *corner, *size, *texts, spark))
    return tuple(found)


def _cards(nest: Nest, raw: Raw, shift: tuple[float, float]) -> tuple[PlacedCard, ...]:
    found = []
    for card in nest.cards:
        x, y, w, h = raw.cards[card.id]
        corner = (round(x + shift[0], 1), round(y + shift[1], 1))
        found.append(
            PlacedCard(
                card.id, card.kind, card.loop, *corner, w, h, lines(card, w), card.status, card.hint, card.barrier
            )
        )
    return tuple(found)


def _edge(nest: Nest, number: int, way: Points) -> PlacedEdge:
    link = nest.links[number]
    return PlacedEdge(link.start, link.end, link.status, plain(way), link.barrier, link.carried)


def _marks(nest: Nest, edges: tuple[PlacedEdge, ...]) -> tuple[PlacedMark, ...]:
    """One sign for every edge that is a barrier, just before the arrow's head."""
    hints = {mark.id: mark.hint for mark in nest.marks}
    found = []
    for edge in edges:
        if edge.barrier:
            x, y = along(np.array(edge.points), MARK_DISTANCE)
            found.append(PlacedMark(edge.barrier, round(x, 1), round(y, 1), hints.get(edge.barrier, "")))
    return tuple(found)
