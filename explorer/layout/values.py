"""The two frozen values of the drawing: the nest (what is shown) and the scene (where it stands).

Points have y growing downwards and the origin at the top left, in pixels at a zoom of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CardKind = Literal["op", "run", "slot", "next", "source", "loss", "loop", "condition"]
Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A loop drawn as a box. ``note`` counts the barriers inside; ``hint`` is the full text for a tooltip.

    ``spark`` is the gradient's norm by iteration as logarithms, None where there is no number; ``trend`` says the same
    in words.
    """

    id: str
    parent: str | None
    depth: int
    kind: str
    title: str
    subtitle: str
    note: str
    hint: str
    spark: tuple[float | None, ...] = ()
    trend: str = ""


@dataclass(frozen=True)
class Card:
    """A card or chip. ``loop`` is the box it stands in, ``""`` at the top; ``ops`` are op ids."""

    id: str
    kind: CardKind
    loop: str
    lines: tuple[str, ...]
    status: str
    hint: str
    ops: tuple[int, ...] = ()
    barrier: str | None = None


@dataclass(frozen=True)
class Link:
    """Data going from one card to another. ``carried`` names the loop whose next iteration reads it, else ``""``."""

    start: str
    end: str
    status: str
    barrier: str | None = None
    carried: str = ""


@dataclass(frozen=True)
class Mark:
    """A barrier as it is written: ``cause`` in words, ``text`` with op and line."""

    id: str
    cause: str
    text: str
    hint: str


@dataclass(frozen=True)
class Nest:
    """What is shown. ``hidden`` counts the ops folded away as plumbing."""

    boxes: tuple[Box, ...]
    cards: tuple[Card, ...]
    links: tuple[Link, ...]
    marks: tuple[Mark, ...]
    hidden: int = 0


@dataclass(frozen=True)
class PlacedBox:
    """``x``, ``y`` is the top left corner. Texts are already cut to fit; ``spark`` are lines in the header."""

    id: str
    depth: int
    kind: str
    x: float
    y: float
    w: float
    h: float
    title: str
    subtitle: str
    note: str
    hint: str
    spark: tuple[tuple[Point, ...], ...] = ()


@dataclass(frozen=True)
class PlacedCard:
    """``x``, ``y`` is the top left corner; ``lines`` are already cut to fit, ``hint`` holds the full text.

    ``tint`` is a place on the heat scale (0 to 1) that fills the card; ``plain``: its second line tells no status.
    """

    id: str
    kind: CardKind
    loop: str
    x: float
    y: float
    w: float
    h: float
    lines: tuple[str, ...]
    status: str
    hint: str
    barrier: str | None = None
    tint: float | None = None
    plain: bool = False


@dataclass(frozen=True)
class PlacedEdge:
    """``points`` run with the data, from border to border; the last one is the arrow's tip."""

    start: str
    end: str
    status: str
    points: tuple[Point, ...]
    barrier: str | None = None
    carried: str = ""


@dataclass(frozen=True)
class PlacedMark:
    """The sign of a barrier on its edge."""

    id: str
    x: float
    y: float
    hint: str


@dataclass(frozen=True)
class Scene:
    """A placed picture. ``engine`` says which layout made it: ``dot`` or ``fast``."""

    width: float
    height: float
    boxes: tuple[PlacedBox, ...]
    cards: tuple[PlacedCard, ...]
    edges: tuple[PlacedEdge, ...]
    marks: tuple[PlacedMark, ...]
    hidden: int = 0
    engine: str = "dot"
