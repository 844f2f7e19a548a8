"""Which strategies, breakers and ways are tried together: each pair at least once, in few runs.

The tables are made from the catalogue, so that new rows are taken in by themselves.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from explorer.model.case import Way
from explorer.strategies.breakers import BREAKERS, Breaker, offered
from explorer.strategies.catalogue import STRATEGIES
from explorer.strategies.strategy import Strategy

# Tried most closely: with every breaker, in the way they were written for.
FIRST = ("map_fn_keras_rnn", "nested_while_loop", "python_loop_tape", "tf1_map_fn_dynamic_rnn")
# The two that these are tried with in every place, and of the others each in one place of each of these.
BROKEN = [
    (s, b, place)
    for m, s in enumerate(s for s in STRATEGIES if s.key in FIRST)
    for n, b in enumerate(offered(s.places, s.way))
    for k, place in enumerate(b.places_in(s.places))
    if n < 2 or len(b.places) == 1 or (m + n + k) % 2
]
CELLS = ("SimpleRNN", "GRU", "SimpleRNN", "LSTM", "SimpleRNN")  # the first costs least
SIZES = (2, 2, 3, 4)
SHAPES = ((True, True, True, True), (False, False, False, False), (False, True, False, True))  # what is fixed
"""Where XLA gets open dimensions TensorFlow 2.21 crashes, which has a test of its own: there all are fixed."""


@dataclass(frozen=True)
class Pair:
    """One run: a strategy with a breaker in a place, in a way, with a cell and a signature."""

    strategy: Strategy
    breaker: Breaker
    place: str
    way: Way
    cell: str
    shape: str

    def __str__(self) -> str:
        return f"{self.strategy.key}-{self.breaker.key}@{self.place}-{self.way}-{self.cell}-{self.shape}"


def ways_of(strategy: Strategy) -> tuple[Way, ...]:
    """The ways in which a strategy means something; its own comes first."""
    if strategy.family == "TF1 graph" or not strategy.comparable:
        return (strategy.way,)
    other: tuple[Way, ...] = ("graph", "eager", "xla")
    return (strategy.way, *(way for way in other if way != strategy.way))


def every_pair() -> list[Pair]:
    """Each pair of strategy and kind of cause, of strategy and way, and of breaker and way that ``BROKEN`` lacks, once.

    Breakers of one kind take turns from strategy to strategy. With ``EXPLORER_EVERY_CAUSE`` in the environment each
    cause is a kind of its own: minutes more, for a day on which the rules were changed.
    """
    tried = {(b.key, s.way) for s, b, _ in BROKEN} | {(s.key, s.way) for s, _, _ in BROKEN}
    tried |= {(s.key, _group(b)) for s, b, _ in BROKEN}
    found: list[Pair] = []
    for last in (False, True):  # what a breaker lacks a way for comes with a new cause if it can, else by itself
        for turn, strategy in enumerate(STRATEGIES):
            first = 5 * turn % len(BREAKERS)
            for breaker in (*BREAKERS[first:], *BREAKERS[:first]):
                news = {way: _news(strategy, breaker, way) - tried for way in ways_of(strategy) if way in breaker.ways}
                way = max(news, key=lambda way: len(news[way]), default=strategy.way)  # of equals the first: its own
                places = breaker.places_in(strategy.places)
                if places and any(last or strategy.key in pair for pair in news.get(way, ())):
                    tried |= news[way]
                    found.append(_pair(strategy, breaker, places[len(found) % len(places)], way, len(found)))
    return found


def _news(strategy: Strategy, breaker: Breaker, way: Way) -> set[tuple[str, str]]:
    return {(strategy.key, way), (breaker.key, way), (strategy.key, _group(breaker))}


def _group(breaker: Breaker) -> str:
    if breaker.effect == "number":
        return "bad number"
    if os.environ.get("EXPLORER_EVERY_CAUSE"):
        return breaker.cause
    return next((kind for kind, causes in _KINDS.items() if breaker.cause in causes), "cut on the way")


_KINDS = {
    "outside the graph": ("left_tensorflow", "assigned"),
    "about a source": ("not_watched", "not_trainable", "never_read"),
}


def _pair(strategy: Strategy, breaker: Breaker, place: str, way: Way, number: int) -> Pair:
    fixed = SHAPES[0] if way == "xla" else SHAPES[number % len(SHAPES)]
    dims = zip(strategy.dims, SIZES, fixed, strict=True)
    shape = ",".join(str(size) if known or dim in strategy.sized else "None" for dim, size, known in dims)
    return Pair(strategy, breaker, place, way, _cell(strategy, number), shape)


def _cell(strategy: Strategy, number: int) -> str:
    choices = next(option.choices for option in strategy.options if option.key == "cell")
    return CELLS[number % len(CELLS)] if CELLS[number % len(CELLS)] in choices else choices[number % len(choices)]
