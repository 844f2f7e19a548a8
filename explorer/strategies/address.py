"""A Case as the page's URL and as the shell command that runs it again; both leave out what is usual."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote

from explorer.model.case import Case, OptionValue
from explorer.strategies.catalogue import find_strategy
from explorer.strategies.options import value_text
from explorer.strategies.parse import DEFAULTS, make_case
from explorer.strategies.shapes import input_text, size_text

SEPARATOR = ";"
MANY = ("input", "size", "option", "wrt", "probe_op")
SWITCHES = ("static_only", "second_order", "check_numbers", "probe")
PLAIN = ("breaker", "loss", "device", "seed", "timeout", "memory", "way")


def case_to_query(case: Case) -> dict[str, str]:
    """The case as query parameters; those with several values join them with a semicolon."""
    query = {"target": case.target}
    many, plain = _words(case)
    for name, values in many.items():
        if values:
            query[name] = SEPARATOR.join(_escaped(value) for value in values)
    query.update(plain)
    query.update((name, "1") for name in SWITCHES if getattr(case, name))
    return query


def case_from_query(query: Mapping[str, str]) -> Case:
    """The case of a URL; raises BadInput as ``make_case`` does. Parameters of the page's own are passed over."""
    many = {name: [unquote(value) for value in query.get(name, "").split(SEPARATOR) if value] for name in MANY}
    plain: dict[str, Any] = {name: query[name] for name in PLAIN if query.get(name)}
    return make_case(
        query.get("target", ""),
        inputs=many["input"],
        sizes=many["size"],
        options=many["option"],
        wrt=many["wrt"],
        probe_ops=many["probe_op"],
        static_only=_is_on(query, "static_only"),
        second_order=_is_on(query, "second_order"),
        check_numbers=_is_on(query, "check_numbers"),
        probe=_is_on(query, "probe"),
        **plain,
    )


def _is_on(query: Mapping[str, str], switch: str) -> bool:
    return query.get(switch, "") not in ("", "0", "false")


def case_to_command(case: Case) -> str:
    """The shell command that explores the same case."""
    many, plain = _words(case)
    words = ["python", "-m", "explorer", "run", case.target]
    words += [word for name, values in many.items() for value in values for word in (_flag(name), value)]
    words += [word for name, value in plain.items() for word in (_flag(name), value)]
    return shlex.join(words + [_flag(name) for name in SWITCHES if getattr(case, name)])


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _words(case: Case) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The parts of a case as ``make_case`` reads them, those that may come several times and the others."""
    many = {
        "input": _given(input_text(spec) for spec in case.inputs),
        "size": _given(size_text(spec) for spec in case.inputs),
        "option": [f"{key}={value_text(value)}" for key, value in _unusual_options(case)],
        "wrt": list(case.wrt),
        "probe_op": list(case.probe_ops),
    }
    plain = {name: _text(getattr(case, name)) for name in PLAIN if getattr(case, name) != getattr(DEFAULTS, name)}
    return many, plain


def _unusual_options(case: Case) -> list[tuple[str, OptionValue]]:
    strategy = find_strategy(case.target)
    usual = {option.key: option.default for option in strategy.options} if strategy else {}
    return [(key, value) for key, value in case.options if key not in usual or usual[key] != value]


def _given(texts: Iterable[str | None]) -> list[str]:
    return [text for text in texts if text is not None]


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _escaped(value: str) -> str:
    return quote(value, safe="=,:()[]/@ ")
