"""Decide what a picture of an exploration shows: boxes, cards, links, marks. Nothing here knows a coordinate."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import Literal

from explorer.layout.cards import boxes, carried_cards, loss_card, marks, op_cards, slot_cards, source_cards
from explorer.layout.carried import Carries, link_ops
from explorer.layout.dataflow import dataflow
from explorer.layout.linking import Links, Tracer
from explorer.layout.passing import RANK, Passing, worse
from explorer.layout.plumbing import ELEMENTWISE
from explorer.layout.reach import reach
from explorer.layout.runs import Soft, groups
from explorer.layout.turns import Turns
from explorer.layout.values import Box, Card, Link, Nest
from explorer.layout.wording import joined, run_lines, stray_name
from explorer.model.graph import Op, Snapshot
from explorer.model.verdict import Exploration

Detail = Literal["loop", "nest"]

BUDGET = 12
"""A loop body with more ops than this gets its element-wise ops folded: about what is read at a glance."""

EMPTY = Nest((), (), (), ())


def decide(exploration: Exploration, detail: Detail = "loop", folded: frozenset[str] = frozenset()) -> Nest:
    """What the picture shows.

    ``detail="nest"`` keeps loops, chips, sources and barriers and joins the ops between them; ``folded`` holds the ids
    of loops to be drawn as one card.
    """
    snapshot = exploration.snapshot
    if snapshot is None:
        return EMPTY
    data = dataflow(snapshot)
    passing = Passing.of(snapshot, exploration.flow, data)
    tracer = Tracer(snapshot, data, passing, Turns(snapshot))
    links = Links()
    _link_slots(tracer, links)
    carries = link_ops(tracer, links)
    _link_loss(tracer, links)
    cards = _cards(exploration, tracer, carries, links)
    known = {card.id for card in cards}
    found = [link for link in links.found.values() if link.start in known and link.end in known]
    nest = Nest(tuple(boxes(exploration, snapshot)), tuple(cards), tuple(found), tuple(marks(exploration.flow)))
    nest = _fold_loops(_without_dead_ends(nest), folded)
    nest = _fold_ops(nest, snapshot, detail)
    shown = sum(len(card.ops) for card in nest.cards)
    return replace(nest, hidden=len(snapshot.ops) - shown)


def _cards(exploration: Exploration, tracer: Tracer, carries: Carries, links: Links) -> list[Card]:
    cards = source_cards(exploration, tracer.snapshot) + slot_cards(tracer) + carried_cards(tracer, carries)
    cards += op_cards(tracer)
    cards += _stray_barriers(exploration, tracer, links, {card.barrier for card in cards})
    return cards + loss_card(tracer.snapshot, exploration.flow is not None)


def _link_slots(tracer: Tracer, links: Links) -> None:
    for loop in tracer.snapshot.loops:
        for slot in loop.slots if loop.kind != "python" else ():
            if not tracer.chip(slot):
                continue
            top, bottom = f"slot:{loop.id}#{slot.index}", f"next:{loop.id}#{slot.index}"
            for tensor, card in ((slot.enters, top), (slot.next, bottom)):
                for origin in tracer.origins(tensor) if tensor in tracer.data.fed else ():
                    side = slot.inside if card == top else slot.next
                    links.add(origin.card, card, worse(origin.status, tracer.passing.tensor(side)))
            links.add(bottom, top, tracer.passing.tensor(slot.next), None, loop.id)


def _link_loss(tracer: Tracer, links: Links) -> None:
    for loss in tracer.snapshot.losses:
        for origin in tracer.origins(loss):
            links.add(origin.card, "loss", origin.status)


def _stray_barriers(exploration: Exploration, tracer: Tracer, links: Links, drawn: set[str | None]) -> list[Card]:
    """Barriers on no drawn edge (a loop condition, a border) get a card of their own, so that none is ever hidden."""
    drawn = drawn | {link.barrier for link in links.found.values()}
    barriers = exploration.flow.barriers if exploration.flow else ()
    cards = []
    for mark, barrier in zip(marks(exploration.flow), barriers, strict=True):
        if barrier.id in drawn:
            continue
        card = f"cut:{barrier.id}"
        lines = (stray_name(tracer.snapshot, barrier), mark.cause)
        cards.append(Card(card, "condition", barrier.loop, lines, "blocked", mark.hint, (), barrier.id))
        for origin in tracer.origins(barrier.before) if barrier.before >= 0 else ():
            links.add(origin.card, card, "blocked", barrier.id)
    return cards


def _without_dead_ends(nest: Nest) -> Nest:
    """Leave out ops after which everything is folded away: what they make only decides a shape or an index."""
    if all(card.kind != "loss" for card in nest.cards):
        return nest
    into: dict[str, list[str]] = defaultdict(list)
    for link in nest.links:
        into[link.end].append(link.start)
    kept = reach((card.id for card in nest.cards if card.kind != "op" or card.barrier), into)
    cards = tuple(card for card in nest.cards if card.id in kept)
    return replace(nest, cards=cards, links=tuple(link for link in nest.links if link.end in kept))


def _fold_loops(nest: Nest, folded: frozenset[str]) -> Nest:
    """Loops the user closed, as one card each; a loop inside a closed one vanishes with it."""
    inside: dict[str, Box] = {}
    for box in nest.boxes:
        outer = inside.get(box.parent or "")
        if outer is not None:
            inside[box.id] = outer
        elif box.id in folded:
            inside[box.id] = box
    if not inside:
        return nest
    tops = [box for box in nest.boxes if inside.get(box.id) is box]
    members: Counter[str] = Counter()
    ops: dict[str, list[int]] = {box.id: [] for box in tops}
    where = {}
    for card in nest.cards:
        top = inside.get(card.loop)
        if top is not None:
            where[card.id] = f"loop:{top.id}"
            members[top.id] += card.kind in ("op", "run")
            ops[top.id].extend(card.ops)
    kept = [card for card in nest.cards if card.id not in where]
    for box in tops:
        lines = (box.title, box.subtitle, box.note or f"{members[box.id]} ops")
        inner = [card.status for card in nest.cards if where.get(card.id) == f"loop:{box.id}"]
        status = "blocked" if box.note else min(inner, key=lambda status: RANK[status], default="nondiff")
        kept.append(Card(f"loop:{box.id}", "loop", box.parent or "", lines, status, box.hint, tuple(ops[box.id])))
    shown = tuple(box for box in nest.boxes if box.id not in inside)
    return replace(nest, boxes=shown, cards=tuple(kept), links=_redirect(nest.links, where))


def _redirect(links: tuple[Link, ...], where: dict[str, str]) -> tuple[Link, ...]:
    joined_links = Links()
    for link in links:
        start, end = where.get(link.start, link.start), where.get(link.end, link.end)
        if start == end and (link.start in where or link.end in where):
            continue
        joined_links.add(start, end, link.status, link.barrier, link.carried)
    return tuple(joined_links.found.values())


def _fold_ops(nest: Nest, snapshot: Snapshot, detail: Detail) -> Nest:
    cards = {card.id: card for card in nest.cards}
    crowd = Counter(card.loop for card in nest.cards if card.kind == "op")
    every = detail == "nest"

    def foldable(card: Card) -> bool:
        if card.kind != "op" or card.barrier:
            return False
        return every or (crowd[card.loop] > BUDGET and all(snapshot.ops[op].type in ELEMENTWISE for op in card.ops))

    def soft(link: Link) -> bool:
        start, end = cards[link.start], cards[link.end]
        alike = start.loop == end.loop and (every or start.status == end.status)
        return alike and not link.barrier and foldable(start) and foldable(end)

    return _join(nest, snapshot, soft, elementwise=not every, least=2 if every else 3)


def _join(nest: Nest, snapshot: Snapshot, soft: Soft, elementwise: bool, least: int) -> Nest:
    where: dict[str, str] = {}
    runs: dict[str, Card] = {}
    cards = {card.id: card for card in nest.cards}
    for group in groups(nest.cards, nest.links, soft, least):
        first = cards[group[0]]
        ops: list[Op] = [snapshot.ops[op] for card in group for op in cards[card].ops]
        hint = joined(f"{op.type} {op.name}" for op in ops)
        status = min((cards[card].status for card in group), key=lambda status: RANK[status])
        run = Card(
            f"run:{ops[0].id}",
            "run",
            first.loop,
            run_lines(ops, elementwise),
            status,
            hint,
            tuple(op.id for op in ops),
        )
        runs[group[0]] = run
        where.update(dict.fromkeys(group, run.id))
    kept = [runs.get(card.id, card) for card in nest.cards if card.id not in where or card.id in runs]
    return replace(nest, cards=tuple(kept), links=_redirect(nest.links, where))
