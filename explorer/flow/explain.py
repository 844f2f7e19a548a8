"""The smallest set of cut edges that explains why a source gets no gradient, nearest to the source first.

A shortest path from the source to the loss over all edges, on which every cut edge costs its cause's weight and a
carrying edge costs nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection

from explorer.flow.web import Edge, Web
from explorer.rules.causes import CAUSES
from explorer.rules.ops import INDEX_INPUTS

_UNIT = 10.0
_STEP = 0.001  # among equally cheap ways, the short one
_INDEX_EXTRA = 20.0
_INDEX_BACK = 200.0  # an integer that comes back to float through an index is plumbing


def cheapest_way(web: Web, source: int, losses: Collection[int], leads: Collection[int]) -> list[Edge] | None:
    """All edges of the cheapest way from ``source`` to a loss, None where there is no way."""
    distance: dict[int, float] = {source: 0.0}
    came_by: dict[int, int] = {}
    queue = [(0.0, source)]
    while queue:
        so_far, node = heapq.heappop(queue)
        if so_far > distance[node]:
            continue
        if node in losses:
            return _walk_back(web, source, node, came_by)
        for number in web.out_of.get(node, ()):
            edge = web.edges[number]
            if edge.after not in leads:
                continue
            length = so_far + _cost(web, edge) + _STEP
            if length < distance.get(edge.after, float("inf")):
                distance[edge.after] = length
                came_by[edge.after] = number
                heapq.heappush(queue, (length, edge.after))
    return None


def cuts(web: Web, way: list[Edge], whole: Collection[int]) -> list[Edge]:
    """The cut edges of a way that are worth telling.

    Entering the integers counts, coming back does not; a comparison that only decides something is part of the
    decision; a missing rule that no gradient reaches is silent, so what stops the gradient before it is to blame.
    """
    found = [e for e in way if not e.carries and not e.memory and not _among_integers(web, e)]
    told = [
        edge
        for edge, following in zip(found, [*found, None][1:], strict=True)
        if not (compares(web, edge) and following is not None and following.cause == "condition_only")
    ]
    return [e for e in told if e.cause != "no_gradient_registered" or e.after in whole] or told


def compares(web: Web, edge: Edge) -> bool:
    """Into a bool: a comparison."""
    tensors = web.snapshot.tensors
    return edge.cause == "integer_dtype" and edge.after < len(tensors) and tensors[edge.after].dtype == "bool"


def leads_into(web: Web, source: int, goal: int, reached: Collection[int]) -> list[Edge]:
    """The cut edges on the cheapest way from ``source`` to ``goal``."""
    return cuts(web, cheapest_way(web, source, {goal}, reached) or [], reached)


def _walk_back(web: Web, source: int, node: int, came_by: dict[int, int]) -> list[Edge]:
    way = []
    while node != source:
        edge = web.edges[came_by[node]]
        way.append(edge)
        node = edge.before
    return way[::-1]


def _among_integers(web: Web, edge: Edge) -> bool:
    return edge.cause == "integer_dtype" and not web.trainable(edge.before) and not web.is_memory(edge.before)


def _cost(web: Web, edge: Edge) -> float:
    if edge.carries or edge.memory:
        return 0.0
    op = web.snapshot.ops[edge.op]
    indexes = (op.type, edge.input) in INDEX_INPUTS
    if _among_integers(web, edge):
        if web.trainable(edge.after):
            return 1.0 + (_INDEX_BACK if indexes else 0.0)
        return 0.0
    return _UNIT * CAUSES[edge.cause or "opaque"].weight + (_INDEX_EXTRA if indexes else 0.0)
