"""Several ops as one card, without ever making a circle.

Every card gets a stage, the greatest number of hard links (links that may not vanish inside a group) on the way to it.
Stages never fall along a link and rise at every hard one, so a way out of a group and back into it would have to be
soft all along and so inside the group: joining soft-linked cards of one stage is safe.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable

from explorer.layout.circles import circle_closers
from explorer.layout.values import Card, Link

Soft = Callable[[Link], bool]


def groups(cards: Iterable[Card], links: Iterable[Link], soft: Soft, least: int) -> list[list[str]]:
    """The ids that may stand as one card, groups of at least ``least``, in the order of ``cards``."""
    order = [card.id for card in cards]
    forward = [link for link in links if not link.carried]
    places = {card: place for place, card in enumerate(order)}
    closing = circle_closers(len(order), [(places[link.start], places[link.end]) for link in forward])
    forward = [link for link in forward if (places[link.start], places[link.end]) not in closing]
    stage = _stages(order, forward, soft)
    root = {card: card for card in order}

    def find(card: str) -> str:
        while root[card] != card:
            root[card] = root[root[card]]
            card = root[card]
        return card

    for link in forward:
        if soft(link) and link.start in stage and stage.get(link.end) == stage[link.start]:
            root[find(link.end)] = find(link.start)
    members: dict[str, list[str]] = defaultdict(list)
    for card in order:
        members[find(card)].append(card)
    return [group for group in members.values() if len(group) >= least]


def _stages(order: list[str], links: list[Link], soft: Soft) -> dict[str, int]:
    """The greatest number of hard links on the way to each card."""
    after: dict[str, list[Link]] = defaultdict(list)
    waiting_for = dict.fromkeys(order, 0)
    for link in links:
        after[link.start].append(link)
        waiting_for[link.end] += 1
    ready = deque(card for card in order if not waiting_for[card])
    stage = dict.fromkeys(order, 0)
    done: dict[str, int] = {}
    while ready:
        card = ready.popleft()
        done[card] = stage[card]
        for link in after[card]:
            stage[link.end] = max(stage[link.end], stage[card] + (0 if soft(link) else 1))
            waiting_for[link.end] -= 1
            if not waiting_for[link.end]:
                ready.append(link.end)
    return done
