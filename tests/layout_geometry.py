"""What every placed picture must keep, whoever placed it."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from explorer.layout.metrics import width
from explorer.layout.sizes import HEADER, fonts
from explorer.layout.values import Box, Card, Link, Nest, PlacedBox, PlacedCard, Scene

TOLERANCE = 0.6  # coordinates are rounded to a tenth


def inside(inner: PlacedBox | PlacedCard, outer: PlacedBox) -> bool:
    return (
        inner.x >= outer.x - TOLERANCE
        and inner.y >= outer.y - TOLERANCE
        and inner.x + inner.w <= outer.x + outer.w + TOLERANCE
        and inner.y + inner.h <= outer.y + outer.h + TOLERANCE
    )


def apart(one: PlacedBox | PlacedCard, other: PlacedBox | PlacedCard) -> bool:
    return (
        one.x + one.w <= other.x + TOLERANCE
        or other.x + other.w <= one.x + TOLERANCE
        or one.y + one.h <= other.y + TOLERANCE
        or other.y + other.h <= one.y + TOLERANCE
    )


def faults(nest: Nest, scene: Scene) -> list[str]:
    """Everything wrong with a scene, in words."""
    found = [f"{a.id} overlaps {b.id}" for a, b in combinations(scene.cards, 2) if not apart(a, b)]
    boxes = {box.id: box for box in scene.boxes}
    parents = {box.id: box.parent for box in nest.boxes}
    for box in scene.boxes:
        parent = parents[box.id]
        if parent and not inside(box, boxes[parent]):
            found.append(f"box {box.id} sticks out of {parent}")
    for a, b in combinations(scene.boxes, 2):
        if parents[a.id] == parents[b.id] and not apart(a, b):
            found.append(f"boxes {a.id} and {b.id} overlap")
    for card in scene.cards:
        around = _around(card.loop, parents)
        for box in scene.boxes:
            if box.id in around and not inside(card, box):
                found.append(f"{card.id} sticks out of {box.id}")
            if box.id not in around and not apart(card, box):
                found.append(f"{card.id} lies in {box.id}, which is not its loop")
    return found + _cut_words(scene) + _loose_ends(scene) + _off_the_page(scene)


def _around(loop: str, parents: dict[str, str | None]) -> set[str]:
    found = set()
    while loop:
        found.add(loop)
        loop = parents[loop] or ""
    return found


def _cut_words(scene: Scene) -> list[str]:
    found = []
    for card in scene.cards:
        for number, line in enumerate(card.lines):
            if width(line, *fonts(card.kind, number)) > card.w - 8:
                found.append(f"{line!r} is wider than {card.id}")
    for box in scene.boxes:
        words = width(box.title, HEADER, True) + width(box.subtitle, HEADER - 1) + width(box.note, HEADER - 1, True)
        if words > box.w - 24:
            found.append(f"the header of {box.id} is wider than its box")
    return found


def _loose_ends(scene: Scene) -> list[str]:
    cards = {card.id: card for card in scene.cards}
    found = []
    for edge in scene.edges:
        for card, (x, y) in ((cards[edge.start], edge.points[0]), (cards[edge.end], edge.points[-1])):
            across = min(abs(x - card.x), abs(x - card.x - card.w))
            down = min(abs(y - card.y), abs(y - card.y - card.h))
            within = card.x - 1 <= x <= card.x + card.w + 1 and card.y - 1 <= y <= card.y + card.h + 1
            if not within or min(across, down) > 1:
                found.append(f"the edge {edge.start} to {edge.end} does not touch {card.id}")
    return found


def _off_the_page(scene: Scene) -> list[str]:
    places = [(x, y) for edge in scene.edges for x, y in edge.points]
    for part in (*scene.cards, *scene.boxes):
        places += [(part.x, part.y), (part.x + part.w, part.y + part.h)]
    return [f"({x}, {y}) is off the page" for x, y in places if not (0 <= x <= scene.width and 0 <= y <= scene.height)]


_WORDS = st.text("abcdefghijklmnopqrstuvwxyzABCDEF_/0123456789[]é<&", min_size=1, max_size=40)
_STATUSES = st.sampled_from(["flows", "blocked", "nondiff", "unknown"])


@st.composite
def nests(draw: st.DrawFn) -> Nest:
    """A random nest: up to six loops at any depth, cards and chips in each, links that follow the cards' order."""
    parents = [draw(st.integers(-1, number - 1)) for number in range(draw(st.integers(0, 6)))]
    boxes: list[Box] = []
    for number, parent in enumerate(parents):
        depth = 1 if parent < 0 else boxes[parent].depth + 1
        loop = f"L{number}"
        note = draw(st.sampled_from(["", "1 barrier"]))
        kind = draw(st.sampled_from(["While", "python"]))
        boxes.append(
            Box(loop, f"L{parent}" if parent >= 0 else None, depth, kind, draw(_WORDS), draw(_WORDS), note, loop)
        )
    loops = ["", *(box.id for box in boxes)]
    cards = [
        _card(draw, f"op:{number}", "op", draw(st.sampled_from(loops))) for number in range(draw(st.integers(1, 14)))
    ]
    chips = [(box.id, slot) for box in boxes for slot in range(draw(st.integers(0, 3)))]
    tops = [_card(draw, f"slot:{loop}#{slot}", "slot", loop) for loop, slot in chips]
    ends = [_card(draw, f"next:{loop}#{slot}", "next", loop) for loop, slot in chips]
    order = [*tops, *cards, *ends]
    pairs = draw(st.lists(st.tuples(st.integers(0, len(order) - 1), st.integers(0, len(order) - 1)), max_size=24))
    links = {(order[a].id, order[b].id): Link(order[a].id, order[b].id, draw(_STATUSES)) for a, b in pairs if a < b}
    carried = [Link(end.id, top.id, "flows", None, top.loop) for top, end in zip(tops, ends, strict=True)]
    return Nest(tuple(boxes), (*order,), (*links.values(), *carried), ())


def _card(draw: st.DrawFn, name: str, kind: str, loop: str) -> Card:
    count = 1 if kind in ("slot", "next") else draw(st.integers(1, 3))
    lines = tuple(draw(_WORDS) for _ in range(count))
    return Card(name, kind, loop, lines, draw(_STATUSES), " ".join(lines))
