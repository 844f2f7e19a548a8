"""Finding in the picture: by name, type, line or status; what is folded away is found too, and said."""

from __future__ import annotations

import re
from dataclasses import dataclass

from explorer.layout.values import Card, Nest
from explorer.layout.wording import place
from explorer.model.graph import Op, Snapshot
from explorer.rules.statuses import look


@dataclass(frozen=True)
class Found:
    """``shown`` holds ids of cards and ``loop:ID`` headers in the order of the picture; ``folded`` says how many ops
    match inside each card that stands for several, by the card's first line; ``plumbing`` counts those on no card.
    """

    shown: tuple[str, ...] = ()
    folded: tuple[tuple[str, int], ...] = ()
    plumbing: int = 0


def find(nest: Nest, snapshot: Snapshot, wanted: str) -> Found:
    """Everything that holds all the words; ``line 34`` means that line alone."""
    asked = _Wanted.of(wanted)
    if not asked.words and not asked.lines:
        return Found()
    shown = [f"loop:{box.id}" for box in nest.boxes if asked.met(" ".join((box.title, box.hint)))]
    folded: list[tuple[str, int]] = []
    drawn: set[int] = set()
    for card in nest.cards:
        drawn.update(card.ops)
        inner = [op for op in card.ops if asked.met(_op(snapshot, snapshot.ops[op]))]
        if card.kind in ("run", "loop") and inner:
            folded.append((card.lines[0], len(inner)))
        if inner or asked.met(_card(card)):
            shown.append(card.id)
    rest = [op for op in snapshot.ops if op.id not in drawn and asked.met(_op(snapshot, op))]
    return Found(tuple(shown), tuple(folded), len(rest))


@dataclass(frozen=True)
class _Wanted:
    words: tuple[str, ...]
    lines: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> _Wanted:
        text = text.casefold()
        lines = tuple(re.findall(r"\bline\s+(\d+)\b", text))
        return cls(tuple(re.sub(r"\bline\s+\d+\b", " ", text).split()), lines)

    def met(self, text: str) -> bool:
        text = text.casefold()
        return all(word in text for word in self.words) and all(
            re.search(rf"(:|line ){line}\b", text) for line in self.lines
        )


def _card(card: Card) -> str:
    status = "blocked barrier" if card.barrier else card.status
    return " ".join((card.id, *card.lines, card.hint, look(card.status).label, status))


def _op(snapshot: Snapshot, op: Op) -> str:
    return " ".join((op.type, op.name, place(snapshot.where(op.stack))))
