"""The sidebar's values as plain strings and numbers, made from a Case and made into one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.model.case import Case
from explorer.strategies.catalogue import INPUT, STRATEGIES, Strategy, find_strategy
from explorer.strategies.parse import make_case

Values = Mapping[str, Any]

NONE = "none"
"""No breaker; also the word for an open way: as the strategy is made."""

FIRST = STRATEGIES[0].key


def strategy_of(values: Values) -> Strategy:
    """The strategy that the values name."""
    return find_strategy(str(values["strategy"])) or STRATEGIES[0]


def default_case(strategy: str = FIRST) -> Case:
    """What a newcomer sees."""
    return make_case(strategy)


def values_of(case: Case) -> dict[str, Any]:
    """What the widgets must hold to stand for this case."""
    key, _, place = (case.breaker or NONE).partition("@")
    spec = case.inputs[0]
    dims, sizes = spec.shape or (), spec.size or ()
    strategy = find_strategy(case.target) or STRATEGIES[0]
    return {
        "strategy": strategy.key,
        **{f"dim {number}": str(dim) for number, dim in enumerate(dims)},
        **{f"size {number}": str(size) for number, size in enumerate(sizes)},
        **{f"option {name}": value for name, value in case.options},
        "breaker": key,
        "place": place or (strategy.places[0] if strategy.places else ""),
        "way": case.way or NONE,
        "device": case.device,
        "seed": case.seed,
        "timeout": float(case.timeout),
        "memory": case.memory,
        "wrt": list(case.wrt),
        "static_only": case.static_only,
    }


def case_of(values: Values) -> Case:
    """The case that the widgets stand for; raises BadInput with one sentence."""
    strategy = strategy_of(values)
    places = range(len(strategy.dims))
    breaker = values["breaker"]
    return make_case(
        strategy.key,
        inputs=[f"{INPUT}=" + ",".join(str(values[f"dim {number}"]).strip() for number in places)],
        sizes=[f"{INPUT}=" + ",".join(str(values[f"size {number}"]).strip() for number in places)],
        options=[f"{option.key}={values[f'option {option.key}']}" for option in strategy.options],
        breaker=None if breaker == NONE else f"{breaker}@{values['place']}",
        wrt=values["wrt"],
        device=values["device"],
        seed=values["seed"],
        timeout=values["timeout"],
        memory=values["memory"],
        way=None if values["way"] == NONE else values["way"],
        static_only=values["static_only"],
    )
