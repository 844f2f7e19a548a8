"""The picture's text twin: an indented tree of loops, loop variables, ops and barriers."""

from __future__ import annotations

from collections import defaultdict

from explorer.layout.values import Box, Card, Link, Nest
from explorer.layout.wording import joined
from explorer.rules.statuses import look


def text(nest: Nest) -> str:
    """One line for every box, card and barrier; each card names what it reads."""
    kids: dict[str, list[Box]] = defaultdict(list)
    members: dict[str, list[Card]] = defaultdict(list)
    into: dict[str, list[Link]] = defaultdict(list)
    for box in nest.boxes:
        kids[box.parent or ""].append(box)
    for card in nest.cards:
        members[card.loop].append(card)
    for link in nest.links:
        into[link.end].append(link)
    names = {card.id: _name(card) for card in nest.cards}
    rows: list[str] = []

    def level(loop: str, indent: str) -> None:
        rows.extend(f"{indent}{_card(card)}{_reads(into[card.id], names)}" for card in members[loop])
        for box in kids[loop]:
            rows.append(f"{indent}loop {joined((box.title, box.subtitle, box.note, box.trend))}")
            level(box.id, indent + "  ")

    level("", "")
    rows.extend(f"barrier {mark.text}" for mark in nest.marks)
    if nest.hidden:
        rows.append(f"{nest.hidden} ops folded away")
    return "\n".join(rows) + "\n" if rows else "nothing to draw\n"


def _name(card: Card) -> str:
    if card.kind == "next":
        return f"next {card.lines[0]}"
    return " ".join(card.lines[:2]) if card.kind in ("op", "run") else card.lines[0]


def _card(card: Card) -> str:
    sign = look(card.status).sign
    if card.kind == "source":
        return f"[{sign}] source {': '.join(card.lines)}"
    if card.kind in ("slot", "next"):
        return f"[{sign}] {card.kind} {card.lines[0]}"
    return f"[{sign}] {joined(card.lines)}"


def _reads(links: list[Link], names: dict[str, str]) -> str:
    parts = []
    for link in links:
        way = "" if link.status == "flows" else f" ({look(link.status).sign})"
        cut = " CUT" if link.barrier else ""
        parts.append(f"{names[link.start]}{way}{cut}")
    return f" <- {', '.join(parts)}" if parts else ""
