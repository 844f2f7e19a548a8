"""A Case survives the way through the page's URL and through the shell."""

from __future__ import annotations

import shlex
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.model.case import WAYS, BadInput, Case
from explorer.strategies.address import case_from_query, case_to_command, case_to_query
from explorer.strategies.breakers import offered
from explorer.strategies.catalogue import STRATEGIES
from explorer.strategies.parse import DEVICES, make_case
from explorer.strategies.shapes import DTYPES, dims_text
from explorer.strategies.strategy import SOURCES

SWITCHES = ("static-only", "second-order", "check-numbers", "probe")

small = st.integers(1, 6)
names = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C"), exclude_characters="=;,"), min_size=1)
words = st.text(st.characters(codec="utf-8", exclude_categories=("C",))).map(str.strip).filter(bool)


@st.composite
def common(draw: st.DrawFn) -> dict[str, object]:
    return {
        "device": draw(st.sampled_from(DEVICES)),
        "way": draw(st.sampled_from((None, *WAYS))),
        "seed": draw(st.integers(0, 2**32 - 1)),
        "timeout": draw(st.floats(0.001, 1e6)),
        "memory": draw(st.integers(100, 10**6)),
        "static_only": draw(st.booleans()),
        "second_order": draw(st.booleans()),
        "check_numbers": draw(st.booleans()),
        "probe": draw(st.booleans()),
        "probe_ops": draw(st.lists(names, unique=True, max_size=2)),
        "loss": draw(st.none() | words),
    }


@st.composite
def sample_cases(draw: st.DrawFn) -> Case:
    sizes = draw(st.tuples(small, small, small, small))
    opened = draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    strategy = draw(st.sampled_from(STRATEGIES))
    shape = [
        None if is_open and dim not in strategy.sized else size
        for is_open, dim, size in zip((*opened, False), strategy.dims, sizes, strict=True)
    ]
    rest = draw(common())
    mistakes = offered(strategy.places, rest["way"] or strategy.way)
    breakers = [f"{row.key}@{place}" for row in mistakes for place in row.places_in(strategy.places)]
    return make_case(
        strategy.key,
        [f"x={dims_text(shape)}"],
        [f"x={dims_text(sizes)}"] if draw(st.booleans()) else [],
        [f"cell={draw(st.sampled_from(('LSTM', 'GRU')))}", f"units={draw(small)}"],
        draw(st.none() | st.sampled_from(breakers)),
        draw(st.lists(st.sampled_from(SOURCES), unique=True)),
        **rest,
    )


@st.composite
def file_cases(draw: st.DrawFn) -> Case:
    called = draw(st.lists(names, unique=True, max_size=3))
    ranks = [draw(st.lists(st.none() | st.integers(0, 5), max_size=3)) for _ in called]
    dtypes = [draw(st.sampled_from(list(DTYPES))) for _ in called]
    options = draw(st.dictionaries(st.sampled_from(("a", "b", "c")), words | st.integers().map(str), max_size=3))
    return make_case(
        __file__ + draw(st.sampled_from(("", ":build"))),
        [f"{name}={dims_text(dims)}:{dtype}" for name, dims, dtype in zip(called, ranks, dtypes, strict=True)],
        [
            f"{n}={dims_text(d or 0 for d in dims)}"
            for n, dims in zip(called, ranks, strict=True)
            if draw(st.booleans())
        ],
        [f"{key}={value}" for key, value in options.items()],
        wrt=draw(st.lists(names, unique=True, max_size=2)),
        **draw(common()),
    )


def run_again(command: str) -> Case:
    """The case that the command line would make of a command, read by an independent little parser."""
    start, *rest = shlex.split(command.removeprefix("python -m explorer run "))
    given: dict[str, list[str]] = {}
    while rest:
        flag = rest.pop(0).removeprefix("--")
        given.setdefault(flag, []).append("" if flag in SWITCHES else rest.pop(0))
    plain = {
        name: given[name][0]
        for name in ("breaker", "loss", "device", "seed", "timeout", "memory", "way")
        if name in given
    }
    switches = {flag.replace("-", "_"): flag in given for flag in SWITCHES}
    several = [given.get(name, []) for name in ("input", "size", "option")]
    return make_case(
        start, *several, wrt=given.get("wrt", ()), probe_ops=given.get("probe-op", ()), **switches, **plain
    )


@given(sample_cases() | file_cases())
def test_the_url_brings_the_case_back(case):
    url = urlencode(case_to_query(case))
    assert case_from_query(dict(parse_qsl(url))) == case


@given(sample_cases() | file_cases())
def test_the_command_brings_the_case_back(case):
    assert run_again(case_to_command(case)) == case


def test_what_is_usual_is_left_out():
    case = make_case("map_fn_keras_rnn")
    assert case_to_query(case) == {"target": "map_fn_keras_rnn", "input": "x=None,None,None,10", "size": "x=3,5,7,10"}
    assert case_to_command(case) == (
        "python -m explorer run map_fn_keras_rnn --input x=None,None,None,10 --size x=3,5,7,10"
    )


def test_the_command_says_what_is_not_usual():
    case = make_case(
        "nested_while_loop", options=["cell=GRU"], breaker="integer_cast@outer", timeout=5, static_only=True
    )
    assert case_to_command(case).endswith("--option cell=GRU --breaker integer_cast@outer --timeout 5 --static-only")


def test_a_url_may_be_short_may_hold_the_pages_own_words_and_may_be_wrong():
    assert case_from_query({"target": "nested_while_loop", "view": "tree"}) == make_case("nested_while_loop")
    with pytest.raises(BadInput, match="No target"):
        case_from_query({})
    with pytest.raises(BadInput, match="did you mean 'LSTM'"):
        case_from_query({"target": "nested_while_loop", "option": "cell=LTSM"})
