"""Positions by Graphviz' ``dot``, which ships inside pygraphviz' wheel.

What makes it look good: loop variables on the first rank of their box and yields on the last; loop-carried links left
out (they become tracks along the box's right margin); nodes a little larger than the cards drawn on them; a blank
header label of the header's true width, so that a box is never too narrow for its words.
dot holds Python's lock while it works: call it in a child process.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

import numpy as np

from explorer.layout.geometry import Points, bezier
from explorer.layout.raw import Raw, Rectangle
from explorer.layout.sizes import header_width, size
from explorer.layout.tracks import margin
from explorer.layout.values import Box, Card, Link, Nest

_GRAPH = "rankdir=TB nodesep=0.2 ranksep=0.3 splines=spline compound=true remincross=true mclimit=4"
_LARGE = "nslimit=0.5 nslimit1=0.5 mclimit=0.3 splines=false"
_MANY = 600


def load() -> None:
    """Load Graphviz now; the first picture would have to wait for it."""
    import pygraphviz

    pygraphviz.AGraph(string="digraph { a -> b }").layout(prog="dot")


def run_dot(nest: Nest) -> Raw:
    """Lay out a nest. y is turned to grow downwards.

    What stands in the source decides the positions. Statuses do not, so a picture whose gradient becomes known keeps
    its places.
    """
    nodes, clusters, routes = _laid_out(source(nest))
    cards = {}
    for place, card in enumerate(nest.cards):
        x, y = nodes[f"n{place}"]
        w, h = size(card)
        cards[card.id] = (x - w / 2, -y - h / 2, w, h)
    return Raw(cards, {nest.boxes[number].id: box for number, box in clusters.items()}, routes)


_Places = tuple[dict[str, tuple[float, float]], dict[int, Rectangle], dict[int, Points]]


@lru_cache(maxsize=16)
def _laid_out(text: str) -> _Places:
    """Where dot puts the middle of each node, each cluster, and each edge that has a number."""
    import pygraphviz

    graph = pygraphviz.AGraph(string=text)
    graph.layout(prog="dot")
    nodes = {}
    for node in graph.nodes():
        x, y = (float(part) for part in node.attr["pos"].split(","))
        nodes[str(node)] = (x, y)
    routes = {}
    for edge in graph.edges():
        place, route = edge.attr["comment"], edge.attr["pos"]
        if place and route:
            routes[int(place)] = _route(route)
    return nodes, dict(_clusters(graph)), routes


def source(nest: Nest) -> str:
    """The picture in Graphviz' language."""
    kids: dict[str, list[Box]] = defaultdict(list)
    for box in nest.boxes:
        kids[box.parent or ""].append(box)
    members: dict[str, list[int]] = defaultdict(list)
    for place, card in enumerate(nest.cards):
        members[card.loop].append(place)
    tracks = _tracks(nest)
    large = f" {_LARGE}" if len(nest.cards) > _MANY else ""
    rows = [f'digraph G {{ graph [{_GRAPH}{large}]; node [shape=box fixedsize=true label=""]; edge [arrowhead=none];']
    numbers = {box.id: place for place, box in enumerate(nest.boxes)}

    def cluster(box: Box) -> None:
        rows.append(
            f"subgraph cluster_{numbers[box.id]} {{ margin={margin(tracks[box.id]):.0f}; labeljust=l; {_label(box)}"
        )
        for kind, rank in (("slot", "source"), ("next", "sink")):
            chips = [place for place in members[box.id] if nest.cards[place].kind == kind]
            if chips:
                rows.append(f"{{ rank={rank}; {' '.join(f'n{place};' for place in chips)} }}")
        body = members[box.id]
        if not body and not kids[box.id]:  # Graphviz drops a cluster without nodes
            rows.append(f"e{numbers[box.id]} [width=1.2 height=0.2 style=invis];")
        rows.extend(_node(place, nest.cards[place]) for place in body)
        for kid in kids[box.id]:
            cluster(kid)
        rows.append("}")

    for box in kids[""]:
        cluster(box)
    rows.extend(_node(place, nest.cards[place]) for place in members[""])
    places = {card.id: place for place, card in enumerate(nest.cards)}
    rows.extend(_edge(place, link, places) for place, link in enumerate(nest.links) if not link.carried)
    rows.extend(_order(nest, members))
    return "\n".join([*rows, "}"])


def _tracks(nest: Nest) -> dict[str, int]:
    count: dict[str, int] = defaultdict(int)
    for link in nest.links:
        if link.carried:
            count[link.carried] += 1
    return count


def _label(box: Box) -> str:
    room = f'WIDTH="{header_width(box):.0f}" HEIGHT="17"'
    return f'label=<<TABLE BORDER="0" CELLBORDER="0" FIXEDSIZE="TRUE" {room}><TR><TD></TD></TR></TABLE>>;'


def _node(place: int, card: Card) -> str:
    w, h = size(card)
    room = 34 if card.barrier else 8  # the barrier's sign stands on the edge above the card
    return f"n{place} [width={(w + 12) / 72:.4f} height={(h + room) / 72:.4f}];"


def _edge(place: int, link: Link, places: dict[str, int]) -> str:
    weight = 1 if link.status == "nondiff" else 4  # what carries no gradient is known before anything is predicted
    return f'n{places[link.start]} -> n{places[link.end]} [weight={weight} comment="{place}"];'


def _order(nest: Nest, members: dict[str, list[int]]) -> list[str]:
    """Unseen edges that keep a box's chips above and below the chips of the boxes in it: ranks alone do not."""
    rows = []
    for box in nest.boxes:
        for kind in ("slot", "next"):
            mine = [place for place in members[box.id] if nest.cards[place].kind == kind]
            outer = [place for place in members[box.parent or ""] if nest.cards[place].kind == kind]
            if not box.parent or not mine or not outer:
                continue
            start, end = (outer[0], mine[0]) if kind == "slot" else (mine[0], outer[0])
            rows.append(f"n{start} -> n{end} [style=invis weight=0];")
    return rows


def _clusters(graph: object) -> list[tuple[int, Rectangle]]:
    found = []
    for part in graph.subgraphs():  # type: ignore[attr-defined]
        if part.name and part.name.startswith("cluster_"):
            x0, y0, x1, y1 = (float(value) for value in part.graph_attr["bb"].split(","))
            found.append((int(part.name[8:]), (x0, -y1, x1 - x0, y1 - y0)))
        found.extend(_clusters(part))
    return found


def _route(text: str) -> Points:
    pairs = re.sub(r"[es],\S+\s*", "", text.replace("\\\n", "").replace("\n", "")).split()
    control = np.array([[float(value) for value in pair.split(",")] for pair in pairs]) * (1, -1)
    return bezier(control)
