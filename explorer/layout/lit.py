"""A scene in two: what lies on a way, and what is dimmed. Every part keeps its place."""

from __future__ import annotations

from dataclasses import replace

from explorer.layout.values import Scene
from explorer.layout.way import Way


def split(scene: Scene, way: Way | None) -> tuple[Scene, Scene]:
    """The dimmed part and the lit one; without a way nothing is dimmed."""
    if way is None:
        return replace(scene, boxes=(), cards=(), edges=(), marks=()), scene
    return _half(scene, way, False), _half(scene, way, True)


def _half(scene: Scene, way: Way, lit: bool) -> Scene:
    return replace(
        scene,
        boxes=tuple(box for box in scene.boxes if (box.id in way.boxes) == lit),
        cards=tuple(card for card in scene.cards if (card.id in way.cards) == lit),
        edges=tuple(edge for edge in scene.edges if ((edge.start, edge.end, edge.carried) in way.links) == lit),
        marks=tuple(mark for mark in scene.marks if (mark.id in way.barriers) == lit),
    )
