"""Random nested programs, as frozen descriptions; no TensorFlow in here.

A program works on vectors of three floats. A block is a list of statements; each puts one or more values on a scope,
and refers to values by how far back they are. Whatever a block needs from outside is on its scope when it begins, so
captures come by themselves, and so do carries that nobody uses and results that are dropped.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from hypothesis import strategies as st

Ref = int
"""Counts back from the youngest value on the scope, modulo the scope's length."""

# What a vector can be made from two others: SMOOTH carries a gradient from at least one, CUTS from none.
SMOOTH = (
    "mix", "product", "dense", "choose", "choose_largest", "total", "product_of_all", "largest", "sorted", "pick",
    "gather_at", "joined", "unstacked", "through_double", "leaky", "inner", "clipped", "root", "scattered", "passed",
    "running_sum", "one_sided", "swapped",
)  # fmt: skip
CUTS = (
    "stopped", "integer", "rounded", "floored", "signed", "largest_at", "compared", "numpy", "shaped", "zeros",
    "counted", "looked_up", "one_hot", "searched", "next_after", "top_indices",
)  # fmt: skip
LOUD = ("resized",)
VARIABLES = ("w0", "w1", "w2", "state", "table", "count", "frozen")
READ_PLAINLY = ("w0", "w1", "w2", "w0", "w1", "w2", "state", "count", "frozen")


@dataclass(frozen=True)
class Apply:
    """One row of the builder's table of ops."""

    op: str
    a: Ref
    b: Ref


@dataclass(frozen=True)
class Read:
    """A variable's value; ``direct`` puts the variable itself on the scope, to be read by the op that takes it."""

    variable: str
    direct: bool


@dataclass(frozen=True)
class Lookup:
    """A row of the variable ``table``, at an index made from a value."""

    index: Ref


@dataclass(frozen=True)
class Assign:
    """``state`` takes a value, or adds it."""

    value: Ref
    adds: bool


@dataclass(frozen=True)
class Decision:
    """Which of several, or how many times: ``fixed``, or told by the feed with this number.

    Each iteration of the loops around it reads another digit of the feed. ``value`` makes the decision depend on a
    value as well, without letting it decide anything on its own. ``least`` is the smallest answer.
    """

    fixed: int | None
    value: Ref | None = None
    feed: int = -1
    least: int = 0


@dataclass(frozen=True)
class Carry:
    """A loop variable: ``updated`` from its old value and another, ``kept``, or ``replaced`` by another value."""

    start: Ref
    kind: Literal["updated", "kept", "replaced"]
    following: Ref


@dataclass(frozen=True)
class Array:
    """A TensorArray carried by a loop: what is written, where, and what becomes of it."""

    value: Ref
    place: Literal["turn", "first"]
    use: Literal["stack", "read", "dropped"]


@dataclass(frozen=True)
class Block:
    """Statements, and which values they hand out."""

    statements: tuple[Any, ...]
    results: tuple[Ref, ...]


@dataclass(frozen=True)
class Loop:
    """A ``tf.while_loop``, or a Python loop where ``python`` is set and the trips are fixed.

    ``guard`` is a value read by the condition only; ``integer`` one that an integer loop variable is made from.
    """

    trips: Decision
    carries: tuple[Carry, ...]
    body: Block
    array: Array | None
    guard: Ref | None
    integer: Ref | None
    python: bool
    back_prop: bool


@dataclass(frozen=True)
class Choice:
    """``tf.cond`` for two branches, ``tf.switch_case`` for three."""

    decision: Decision
    branches: tuple[Block, ...]


@dataclass(frozen=True)
class Call:
    """A ``tf.function``; its body sees the arguments only, and the variables."""

    arguments: tuple[Ref, ...]
    body: Block


@dataclass(frozen=True)
class Mapped:
    """A loop built on top of TensorArrays, over two stacked values."""

    how: Literal["map_fn", "scan", "foldl"]
    elements: tuple[Ref, Ref]
    start: Ref
    body: Block


@dataclass(frozen=True)
class Program:
    """``resource`` says what TF1 makes variables of; ``feeds`` how many numbers decide what the program does."""

    block: Block
    resource: bool = True
    feeds: int = 0


def numbered(program: Program) -> Program:
    """Every decision gets a feed of its own, so that none excludes another."""
    count = 0

    def number(part: Any) -> Any:
        nonlocal count
        if isinstance(part, tuple):
            return tuple(number(p) for p in part)
        if isinstance(part, Decision):
            count += 1
            return replace(part, feed=count - 1)
        if hasattr(part, "__dataclass_fields__"):
            return replace(part, **{f.name: number(getattr(part, f.name)) for f in fields(part)})
        return part

    block = number(program.block)
    return replace(program, block=block, feeds=count)


def loosened(program: Program, *, least: bool) -> Program:
    """The same program with its fixed decisions left to the feeds.

    ``least``: loops that run for certain still run, and constant branches stay. A path that is whole but needs
    more iterations than a fixed number allows shows its gradient here.
    """

    def loosen(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(loosen(p) for p in part)
        if isinstance(part, Loop) and part.trips.fixed is not None and not part.python:
            still_runs = least and part.guard is None  # with a guard, TensorFlow cannot know that it runs
            if not (least and part.trips.fixed == 0):
                part = replace(part, trips=replace(part.trips, fixed=None, least=int(still_runs)))
        if isinstance(part, Choice) and (part.decision.value is not None or not least):  # no constant to TensorFlow
            part = replace(part, decision=replace(part.decision, fixed=None))
        if hasattr(part, "__dataclass_fields__"):
            return replace(part, **{f.name: loosen(getattr(part, f.name)) for f in fields(part)})
        return part

    return replace(program, block=loosen(program.block))


_LEAVES = ("apply",) * 6 + ("cut",) * 3 + ("read",) * 3 + ("lookup", "assign")
_DEPTHS = (0, 1, 1, 1, 2, 2, 2, 3, 3, 4)
_NESTS = ("loop",) * 4 + ("choice",) * 2 + ("call", "mapped")


def programs(loud: bool = False) -> st.SearchStrategy[Program]:
    """Programs for hypothesis, made of one drawn number each.

    Hypothesis would rather vary an example it has than make another one: half of a hundred programs would be twins.
    ``tests.programs.shrink`` makes a failing one small.
    """
    return st.integers(0, 2**48).map(lambda seed: random_program(seed, loud=loud))


def random_program(seed: int, *, loud: bool = False) -> Program:
    """The program of a seed; ``loud`` allows ops whose gradient is not registered."""
    return _Drawing(random.Random(seed), loud).program()


class _Drawing:
    def __init__(self, chance: random.Random, loud: bool) -> None:
        self._chance = chance
        self._cuts = CUTS + (LOUD * 6 if loud else ())

    def program(self) -> Program:
        deep, aside = self._chance.choice(_DEPTHS), self._chance.choice((-1, -1, 0, 1))
        statements = [self._statements(aside), self._statements(deep)]  # a shorter nest before or after the deep one
        self._chance.shuffle(statements)
        block = Block(statements[0] + statements[1], self._refs(self._chance.randint(1, 3), 3))
        return numbered(Program(block, self._one_in(2)))

    def _one_in(self, count: int) -> bool:
        return self._chance.randrange(count) == 0

    def _ref(self) -> Ref:
        return self._chance.randint(0, 5)

    def _refs(self, count: int, most: int = 5) -> tuple[Ref, ...]:
        return tuple(self._chance.randint(0, most) for _ in range(count))

    def _sometimes(self, one_in: int) -> Ref | None:
        return self._ref() if self._one_in(one_in) else None

    def _statements(self, depth: int) -> tuple[Any, ...]:
        """Plain statements around one nest that goes down ``depth`` further; more nests would make programs slow."""
        if depth <= 0:
            return tuple(self._leaf() for _ in range(self._chance.randint(1 + depth, 2 + depth)))
        before, after = ([self._leaf() for _ in range(self._chance.randint(0, 2))] for _ in range(2))
        nest = getattr(self, "_" + self._chance.choice(_NESTS))
        return (*before, nest(depth - 1), *after)

    def _block(self, depth: int, results: int) -> Block:
        return Block(self._statements(depth), self._refs(results, 3))

    def _leaf(self) -> Any:
        kind = self._chance.choice(_LEAVES)
        if kind in ("apply", "cut"):
            return Apply(self._chance.choice(SMOOTH if kind == "apply" else self._cuts), self._ref(), self._ref())
        if kind == "read":
            return Read(self._chance.choice(READ_PLAINLY), self._one_in(2))
        return Lookup(self._ref()) if kind == "lookup" else Assign(self._ref(), self._one_in(2))

    def _choice(self, depth: int) -> Choice:
        count, results = self._chance.choice((2, 2, 3)), self._chance.randint(1, 2)
        deep = self._chance.randrange(count)
        blocks = tuple(self._block(depth if k == deep else 0, results) for k in range(count))
        return Choice(self._decision(count - 1, self._sometimes(2)), blocks)

    def _call(self, depth: int) -> Call:
        return Call(self._refs(self._chance.randint(1, 3)), self._block(depth, self._chance.randint(1, 2)))

    def _mapped(self, depth: int) -> Mapped:
        how = self._chance.choice(("map_fn", "scan", "foldl"))
        return Mapped(how, (self._ref(), self._ref()), self._ref(), self._block(depth, 1))

    def _decision(self, most: int, value: Ref | None = None) -> Decision:
        return Decision(self._chance.randint(0, most) if self._one_in(3) else None, value)

    def _loop(self, depth: int) -> Loop:
        trips = self._decision(3)
        return Loop(
            trips=trips,
            carries=tuple(self._carry() for _ in range(self._chance.randint(1, 3))),
            body=self._block(depth, 0),
            array=self._array() if self._one_in(3) else None,
            guard=self._sometimes(4),
            integer=self._sometimes(4),
            python=trips.fixed is not None and self._one_in(4),
            back_prop=not self._one_in(15),
        )

    def _carry(self) -> Carry:
        return Carry(self._ref(), self._chance.choice(("updated", "updated", "kept", "replaced")), self._ref())

    def _array(self) -> Array:
        return Array(
            self._ref(),
            self._chance.choice(("turn", "turn", "first")),
            self._chance.choice(("stack", "read", "dropped")),
        )
