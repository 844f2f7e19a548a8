"""Several strategies on one problem: what was run for each, and what follows from it, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from explorer.model.case import Way
from explorer.model.verdict import Exploration, Status

Works = Literal["yes", "no", "unknown"]


@dataclass(frozen=True)
class Trial:
    """What was run for one strategy so far.

    ``refusal`` says why nothing could be: the strategy does not take these shapes or options. ``explored`` is the
    verdict's run, with the second order; ``timed`` are runs of plain TensorFlow, one per round; ``opened`` is one with
    every dimension None that may be, ``compiled`` one under XLA, ``swept`` timed runs at other sizes. None where it has
    not run, or need not.
    """

    strategy: str
    refusal: str = ""
    explored: Exploration | None = None
    timed: tuple[Exploration, ...] = ()
    opened: Exploration | None = None
    compiled: Exploration | None = None
    swept: tuple[tuple[int, Exploration], ...] = ()


@dataclass(frozen=True)
class Sweep:
    """One dimension of the input run at several sizes, all others as they are."""

    dim: str
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Answer:
    """Whether something works; ``why`` is one sentence where it does not, or where nobody knows."""

    works: Works = "unknown"
    why: str = ""


@dataclass(frozen=True)
class LoopRow:
    """One loop of a strategy: ``trips`` has one number per run."""

    id: str
    depth: int
    api: str
    trips: tuple[int, ...] | None

    @property
    def trip(self) -> str:
        """How often it runs, as a word; the first run stands for all."""
        return str(self.trips[0]) if self.trips else "?"


@dataclass(frozen=True)
class Row:
    """One strategy in the table. Seconds are medians over rounds; ``backward`` is what gradients add to the loss.

    ``difference`` is the largest relative difference of a gradient from the reference's; None where the two compute
    different functions, or one of them gave no gradient. ``memory`` is in MB. ``swept`` holds the seconds of a step
    with gradients by the size of the swept dimension.
    """

    strategy: str
    title: str
    family: str
    way: Way
    outcome: str
    verdict: str
    statuses: dict[str, Status]
    norms: dict[str, float | None]
    loops: tuple[LoopRow, ...]
    control_flow: str | None
    ops: int | None
    difference: float | None
    agrees: bool | None
    rounds: int
    repeats: int
    build: float | None
    trace: float | None
    first: float | None
    forward: float | None
    backward: float | None
    memory: float | None
    none_dims: Answer
    xla: Answer
    second_order: Answer
    swept: tuple[tuple[int, float | None], ...] = ()
    explored: Exploration | None = None

    @property
    def depth(self) -> int:
        """How deep its loops are nested."""
        return max((loop.depth for loop in self.loops), default=0)

    @property
    def flowing(self) -> str:
        """``4 of 5``: to how many sources a gradient flows; empty where nothing was measured."""
        reached = sum(status == "flows" for status in self.statuses.values())
        return f"{reached} of {len(self.statuses)}" if self.statuses else ""

    @property
    def answers(self) -> dict[str, Answer]:
        """What else it can do, by a short name."""
        return {"None": self.none_dims, "XLA": self.xla, "2nd order": self.second_order}

    @property
    def step(self) -> float | None:
        """Seconds of one run of the loss with its gradients."""
        return None if self.forward is None or self.backward is None else self.forward + self.backward

    @property
    def healthy(self) -> bool:
        """Whether every gradient flows."""
        return self.outcome == "done" and bool(self.statuses) and set(self.statuses.values()) == {"flows"}


@dataclass(frozen=True)
class Comparison:
    """The table; ``reference`` is the strategy whose gradients the others are compared with."""

    rows: tuple[Row, ...]
    reference: str
    recommended: str
    reason: str
    done: int
    total: int
    sweep: Sweep | None = None

    @property
    def rounds(self) -> int:
        """In how many rounds the strategies were timed."""
        return max((row.rounds for row in self.rows), default=0)
