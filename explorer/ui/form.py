"""The sidebar's values as plain strings and numbers, made from cases and made into cases: one for each way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.model.case import WAYS, Case, Way
from explorer.strategies.address import SWITCHES
from explorer.strategies.catalogue import STRATEGIES, find_strategy
from explorer.strategies.parse import make_case
from explorer.strategies.strategy import INPUT, Strategy

Values = Mapping[str, Any]
Cases = tuple[Case, ...]
"""One case in one way or in several."""

NONE = "none"
"""No breaker."""

# A refusal speaks of the command line; the reader of the page looks for a field.
_FIELDS = {
    "--input": "the signature", "--size": "the run size", "--option": "the options", "--breaker": "Breaker",
    "--way": "Ways", "--memory": "MB", "--timeout": "Seconds", "--seed": "Seed", "--wrt": "the sources",
    "--device": "Device",
}  # fmt: skip

FIRST = STRATEGIES[0].key


def strategy_of(values: Values) -> Strategy:
    """The strategy that the values name."""
    return find_strategy(str(values["strategy"])) or STRATEGIES[0]


def title_of(strategy: str) -> str:
    """``TF2 · scan over time``: a strategy as the page names it."""
    row = find_strategy(strategy)
    return f"{row.family.partition(' ')[0]} · {row.title}" if row else strategy


def default_case(strategy: str = FIRST) -> Case:
    """What a newcomer sees; every iteration is watched, because nobody asks for what they do not know of."""
    return make_case(strategy, probe=True)


def in_app(sentence: str) -> str:
    """A refusal that names fields in place of arguments."""
    for flag, field in _FIELDS.items():
        sentence = sentence.replace(flag, field)
    return sentence


def values_of(cases: Cases) -> dict[str, Any]:
    """What the widgets must hold to stand for these cases."""
    case = cases[0]
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
        "ways": [each.way for each in cases if each.way],
        "device": case.device,
        "seed": case.seed,
        "timeout": float(case.timeout),
        "memory": case.memory,
        "wrt": list(case.wrt),
        "probe_ops": list(case.probe_ops),
        **{switch: getattr(case, switch) for switch in SWITCHES},
    }


def cases_of(values: Values) -> Cases:
    """The cases that the widgets stand for; raises BadInput with one sentence."""
    chosen = tuple(way for way in WAYS if way in values["ways"])
    return tuple(_case_of(values, way) for way in chosen or (None,))


def _case_of(values: Values, way: Way | None) -> Case:
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
        way=way,
        static_only=values["static_only"],
        second_order=values["second_order"],
        check_numbers=values["check_numbers"],
        probe=values["probe"],
        probe_ops=values["probe_ops"] if values["probe"] else (),
    )
