"""From one thing in the picture to the next: the next barrier, the level above, where to look."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.layout.values import Nest, Point, Scene
from explorer.model.verdict import GradientFlow


def after(ids: Sequence[str], current: str, step: int = 1) -> str:
    """The id this many steps on, round and round; the first one (going back: the last) where none is current."""
    if not ids:
        return ""
    if current not in ids:
        return ids[0 if step > 0 else -1]
    return ids[(ids.index(current) + step) % len(ids)]


def above(nest: Nest, identity: str) -> str:
    """The loop around a card, a barrier or a loop; nothing above the outermost."""
    kind, _, name = identity.partition(":")
    if kind == "loop":
        parents = {box.id: box.parent for box in nest.boxes} | {
            card.id.partition(":")[2]: card.loop for card in nest.cards if card.kind == "loop"
        }
        outer = parents.get(name)
    else:
        found = (
            card for card in nest.cards if card.id == identity or (card.barrier and identity == _mark(card.barrier))
        )
        outer = next((card.loop for card in found), "")
    return f"loop:{outer}" if outer else ""


def spot(scene: Scene, identity: str, flow: GradientFlow | None) -> Point | None:
    """Where a card, a loop's header or a barrier stands; a barrier folded away stands where its loop's card is."""
    for mark in scene.marks:
        if _mark(mark.id) == identity:
            return mark.x, mark.y
    for card in scene.cards:
        if card.id == identity or (card.barrier and _mark(card.barrier) == identity):
            return card.x + card.w / 2, card.y + card.h / 2
    for box in scene.boxes:
        if f"loop:{box.id}" == identity:
            return box.x + min(box.w / 2, 120.0), box.y + 15.5
    loop = next((barrier.loop for barrier in (flow.barriers if flow else ()) if _mark(barrier.id) == identity), "")
    while loop:
        folded = next((card for card in scene.cards if card.id == f"loop:{loop}"), None)
        if folded is not None:
            return folded.x + folded.w / 2, folded.y + folded.h / 2
        loop = loop.rpartition("/")[0]
    return None


def _mark(barrier: str) -> str:
    return f"barrier:{barrier}"
