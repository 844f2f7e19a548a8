"""Which part of a picture answers "why is this None?": the way from a source to the barrier and on to the loss.

Nothing here moves anything: painters dim what is not on the way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from explorer.layout.reach import reach
from explorer.layout.values import Link, Nest
from explorer.model.verdict import GradientFlow

LinkKey = tuple[str, str, str]


@dataclass(frozen=True)
class Way:
    """The ids of cards and boxes on the way, its links by (start, end, carried), and the barriers it meets."""

    cards: frozenset[str]
    links: frozenset[LinkKey]
    boxes: frozenset[str]
    barriers: frozenset[str]


def way(nest: Nest, identity: str, flow: GradientFlow | None) -> Way | None:
    """The way of ``source:NAME``, or of every source that ``barrier:ID`` cuts off; None where nothing is to be shown.

    A source that flows has its whole paths lit, one that is cut those through its barriers, as far as they are drawn; a
    source without a way to the loss has whatever its data reaches.
    """
    starts, barriers = _asked(nest, identity, flow)
    if not starts:
        return None
    cards = {card.id: card for card in nest.cards}
    ahead = _reach(starts, nest.links)
    cut = [link for link in nest.links if link.barrier in barriers and link.start in ahead]
    if cut:
        links = _through(nest, starts, cut)
    else:
        flows = identity.startswith("source:") and _flows(identity, flow)
        links = _between(starts, ["loss"], [link for link in nest.links if not flows or link.status == "flows"])
        links = links or _between(starts, [card.id for card in nest.cards if card.barrier in barriers], nest.links)
        links = links or [link for link in nest.links if link.start in ahead]
    met = {link.start for link in links} | {link.end for link in links} | set(starts)
    met |= {card.id for card in nest.cards if card.barrier in barriers}
    loops = [cards[card].loop for card in met if card in cards]
    return Way(frozenset(met), frozenset(map(key, links)), frozenset(_around(nest, loops)), frozenset(barriers))


def key(link: Link) -> LinkKey:
    """What tells a link from the others."""
    return link.start, link.end, link.carried


def _asked(nest: Nest, identity: str, flow: GradientFlow | None) -> tuple[list[str], set[str]]:
    """The source cards asked about, and the barriers that cut them."""
    kind, _, name = identity.partition(":")
    rows = flow.predictions if flow else ()
    shown = {card.id for card in nest.cards}
    if kind == "source" and identity in shown:
        return [identity], {barrier for row in rows if row.source == name for barrier in row.barriers}
    if kind == "barrier" and flow and any(barrier.id == name for barrier in flow.barriers):
        behind = [f"source:{row.source}" for row in rows if name in row.barriers]
        return [source for source in behind if source in shown], {name}
    return [], set()


def _flows(identity: str, flow: GradientFlow | None) -> bool:
    name = identity.partition(":")[2]
    return any(row.source == name and row.predicted == "flows" for row in (flow.predictions if flow else ()))


def _through(nest: Nest, starts: list[str], cut: list[Link]) -> list[Link]:
    """Paths from the starts over one of the cut links, and on to the loss."""
    before = _between(starts, [link.start for link in cut], [link for link in nest.links if link not in cut])
    after = _between([link.end for link in cut], ["loss"], nest.links)
    return list(dict.fromkeys([*before, *cut, *after]))


def _between(starts: Iterable[str], ends: Iterable[str], links: Iterable[Link]) -> list[Link]:
    """The links on any path from one of the starts to one of the ends."""
    links = list(links)
    ahead = _reach(starts, links)
    turned = [Link(link.end, link.start, link.status) for link in links]
    back = _reach(ends, turned)
    return [link for link in links if link.start in ahead and link.end in back]


def _reach(starts: Iterable[str], links: Iterable[Link]) -> set[str]:
    after: dict[str, list[str]] = defaultdict(list)
    for link in links:
        after[link.start].append(link.end)
    return reach(starts, after)


def _around(nest: Nest, loops: Iterable[str]) -> set[str]:
    """These loops and all around them."""
    parents = {box.id: box.parent for box in nest.boxes}
    found: set[str] = set()
    for loop in loops:
        place: str | None = loop
        while place and place not in found:
            found.add(place)
            place = parents.get(place)
    return found
