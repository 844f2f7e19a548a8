"""Other things told on the same picture: gradient norms, types and shapes. Texts and tints change, places never."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from explorer.layout.metrics import elide, width
from explorer.layout.sizes import CHIP, SUBTITLE, is_chip, text_room
from explorer.layout.values import PlacedCard, Scene
from explorer.layout.wording import joined, shape
from explorer.model.graph import Slot, Snapshot
from explorer.model.verdict import Exploration

Overlay = Literal["status", "norm", "type"]

UNKNOWN = "norm not known"


@dataclass(frozen=True)
class Norms:
    """Gradient norms by card, with the least and the largest that are above zero and finite (None: there are none)."""

    by_card: dict[str, float]
    least: float | None
    largest: float | None

    def share(self, card: str) -> float | None:
        """Where a card's norm lies between the least (0) and the largest (1), on a logarithmic scale."""
        norm = self.by_card.get(card)
        if norm is None or self.least is None or self.largest is None or not math.isfinite(norm):
            return None
        if norm <= 0 or self.least == self.largest:
            return 0.0 if norm <= 0 else 1.0
        return (math.log(norm) - math.log(self.least)) / (math.log(self.largest) - math.log(self.least))


def norms(exploration: Exploration) -> Norms:
    """Sources as measured; loop variables and watched ops by the largest norm of all iterations."""
    found: dict[str, float] = {}
    for row in exploration.run.measurements if exploration.run else ():
        if row.norm is not None:
            found[f"source:{row.source}"] = row.norm
    snapshot = exploration.snapshot
    for probe in exploration.probes:
        seen = [norm for run in probe.runs for norm in run.norms]
        if probe.direction != "backward" or probe.cut or not seen:
            continue
        most = math.nan if any(map(math.isnan, seen)) else max(seen)
        if probe.slot >= 0:
            found[f"slot:{probe.loop}#{probe.slot}"] = most
        elif snapshot is not None and 0 <= probe.tensor < len(snapshot.tensors):
            found[f"op:{snapshot.tensors[probe.tensor].op}"] = most
    usual = [norm for norm in found.values() if math.isfinite(norm) and norm > 0]
    return Norms(found, min(usual, default=None), max(usual, default=None))


def overlaid(scene: Scene, exploration: Exploration, overlay: Overlay) -> Scene:
    """The same scene with other words on its cards; ``status`` is the scene itself."""
    snapshot = exploration.snapshot
    if overlay == "status" or snapshot is None:
        return scene
    if overlay == "norm":
        known = norms(exploration)
        return replace(scene, cards=tuple(_with_norm(card, known) for card in scene.cards))
    return replace(scene, cards=tuple(_with_type(card, snapshot) for card in scene.cards))


def _with_norm(card: PlacedCard, known: Norms) -> PlacedCard:
    norm = known.by_card.get(card.id)
    if norm is None:
        return _second_line(card, UNKNOWN) if card.kind == "source" else card
    said = f"{norm:.2g}"
    told = f"gradient norm {said}" if card.kind in ("source", "op") else f"largest gradient norm {norm:.4g}"
    marked = replace(card, tint=known.share(card.id), hint=joined((card.hint, told)))
    return _chip(marked, said) if is_chip(card.kind) else _second_line(marked, f"norm {said}")


def _with_type(card: PlacedCard, snapshot: Snapshot) -> PlacedCard:
    kind, _, rest = card.id.partition(":")
    if kind == "op" and snapshot.ops[int(rest)].outputs:
        tensor = snapshot.tensors[snapshot.ops[int(rest)].outputs[0]]
        return _second_line(card, f"{tensor.dtype} {shape(tensor.shape)}")
    if kind == "source":
        source = next(source for source in snapshot.sources if source.name == rest)
        return _second_line(card, f"{source.dtype} {shape(source.shape)}")
    slot = _slot(snapshot, rest) if kind in ("slot", "next") else None
    return _chip(card, shape(slot.shape)) if slot else card


def _slot(snapshot: Snapshot, identity: str) -> Slot | None:
    loop_id, _, index = identity.rpartition("#")
    loop = snapshot.loop(loop_id)
    return next((slot for slot in loop.slots if str(slot.index) == index), None) if loop else None


def _second_line(card: PlacedCard, text: str) -> PlacedCard:
    if len(card.lines) < 2:
        return card
    short = elide(text, SUBTITLE, text_room(card.kind, card.w))
    return replace(card, lines=(card.lines[0], short, *card.lines[2:]), plain=True)


def _chip(card: PlacedCard, text: str) -> PlacedCard:
    """Name and text where both fit, else the text alone."""
    room = text_room(card.kind, card.w)
    both = f"{card.lines[0]} {text}"
    return replace(card, lines=(both if width(both, CHIP) <= room else elide(text, CHIP, room),))
