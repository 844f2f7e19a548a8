"""The ways to build the loop: one row per strategy, each running one file of sample_models/."""

from __future__ import annotations

from typing import Any

from explorer.strategies.breakers import offered
from explorer.strategies.options import Option
from explorer.strategies.rows_eager import EAGER
from explorer.strategies.rows_fused import FUSED
from explorer.strategies.rows_tf1 import TF1
from explorer.strategies.rows_tf2 import TF2
from explorer.strategies.strategy import INPUT, Strategy
from explorer.strategies.wording import unknown

STRATEGIES: tuple[Strategy, ...] = (*TF2, *FUSED, *EAGER, *TF1)


def find_strategy(key: str) -> Strategy | None:
    """The row with this key, None where there is none."""
    return next((row for row in STRATEGIES if row.key == key), None)


def get_strategy(key: str) -> Strategy:
    """The row with this key; refuses an unknown one."""
    strategy = find_strategy(key)
    if strategy is None:
        raise unknown("strategy", key, [row.key for row in STRATEGIES])
    return strategy


def strategies_document() -> list[dict[str, Any]]:
    """What ``python -m explorer strategies --json`` prints: plain lists, strings and numbers."""
    return [_strategy_row(strategy) for strategy in STRATEGIES]


def _strategy_row(strategy: Strategy) -> dict[str, Any]:
    row = {name: getattr(strategy, name) for name in ("key", "title", "family", "summary", "when", "file", "way")}
    lists = ("pitfalls", "dims", "shape", "sizes")
    return {
        **row,
        **{name: list(getattr(strategy, name)) for name in lists},
        "input": INPUT,
        "dtype": strategy.dtype,
        "options": [_option_row(option) for option in strategy.options],
        "breakers": [
            {
                "key": breaker.key,
                "title": breaker.title,
                "places": list(breaker.places_in(strategy.places)),
                "mistake": breaker.mistake.format(h=breaker.damaged),
                "instead": breaker.instead.format(h=breaker.damaged),
                "cause": breaker.cause,
                "effect": breaker.effect,
            }
            for breaker in offered(strategy.places, strategy.way)
        ],
    }


def _option_row(option: Option) -> dict[str, Any]:
    names = ("key", "title", "kind", "default", "help", "least", "most")
    return {**{name: getattr(option, name) for name in names}, "choices": list(option.choices)}
