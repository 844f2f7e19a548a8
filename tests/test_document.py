"""The result document is a contract: its keys, its nulls, its strict JSON."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.codec.document import document, document_of_ways, strict, to_json
from explorer.model.case import Case
from explorer.model.graph import Location
from explorer.model.probes import Health, LoopCost, Probe, ProbeRun
from explorer.model.verdict import (
    BackwardRun,
    BadNumber,
    Conclusion,
    Exploration,
    Failure,
    Measurement,
    NumberCheck,
    SecondOrder,
)
from tests.explorations import SNAPSHOT, died, disagreeing, exploration

KEYS = {
    "document": "version case outcome error graph loops sources barriers disagreements risks notes probes costs "
    "numerics number_checks second_order seconds memory device versions",
    "loop": "id parent depth kind api file line trips_static trips_measured parallel_iterations maximum_iterations "
    "slots backward",
    "slot": "index name role dtype shape gradient",
    "source": "name kind dtype shape predicted measured status norm barriers cause why file line",
    "barrier": "id op op_type input loop cause loud file line remedy count",
    "probe": "op name loop direction slot shape norms start health cut unobserved",
    "seconds": "start build trace predict backward probe total",
}


def test_the_keys_are_the_contract() -> None:
    found = document(exploration(x="none-blocked", probes=(Probe("outer", "h", "forward", unobserved="No."),)))
    parts = {
        "document": found,
        "loop": found["loops"][0],
        "slot": found["loops"][1]["slots"][0],
        "source": found["sources"][0],
        "barrier": found["barriers"][0],
        "probe": found["probes"][0],
        "seconds": found["seconds"],
    }
    assert {name: " ".join(part) for name, part in parts.items()} == KEYS
    assert found["graph"] == {"ops": 4, "functions": 2, "control_flow": "v2"}


def test_iterations_are_nested_lists_with_null_where_nothing_ran() -> None:
    health = Health((0.0,), (1.0,), (0.5,), (0,), (1,))
    runs = (ProbeRun((0,), (3.0, math.inf), 1.0), ProbeRun((2,), (4.0,), 2.0, health))
    probe = Probe("outer/inner", "h", "backward", 0, 3, runs)
    found = document(exploration(probes=(probe,), trips={"outer": (4,), "outer/inner": (2, 1)}))["probes"][0]
    assert found["shape"] == [4, 2]
    assert found["norms"] == [[3.0, "Infinity"], [None, None], [4.0, None], [None, None]]
    assert found["start"] == [1.0, None, 2.0, None]
    assert found["health"]["zeros"] == [[None, None], [None, None], [0.5, None], [None, None]]
    assert (found["op"], found["loop"], found["slot"]) == ("outer/inner/MatMul", "outer/inner", 0)


def test_iterations_of_three_levels_and_of_one() -> None:
    deep = Probe("a/b/c", "h", "forward", 1, runs=(ProbeRun((0, 1), (5.0,)), ProbeRun((1, 0), (6.0,))))
    flat = Probe("a", "h", "forward", 1, runs=(ProbeRun((), (7.0, 8.0), 6.0),))
    found = document(exploration(probes=(deep, flat)))["probes"]
    assert found[0]["norms"] == [[[None], [5.0]], [[6.0], [None]]]
    assert (found[1]["shape"], found[1]["norms"], found[1]["start"]) == ([2], [7.0, 8.0], 6.0)


def test_what_was_not_seen_says_why() -> None:
    hidden = Probe("outer", "h", "backward", 0, unobserved="XLA compiles this loop.")
    found = document(exploration(probes=(hidden,), costs=(LoopCost("outer", stored=3),)))
    assert (found["probes"][0]["norms"], found["probes"][0]["unobserved"]) == (None, "XLA compiles this loop.")
    assert found["costs"] == [{"loop": "outer", "forward": None, "backward": None, "stored": 3, "stored_bytes": None}]


def test_loops_have_place_trips_and_parent() -> None:
    outer, inner = document(exploration())["loops"]
    assert (outer["parent"], outer["trips_measured"], outer["trips_static"]) == (None, [3], None)
    assert (inner["parent"], inner["trips_measured"], inner["trips_static"]) == ("outer", [7, 7, 7], 7)
    assert (inner["file"], inner["line"], inner["depth"]) == ("model.py", 12, 2)


def test_trips_fall_back_on_what_the_capture_saw() -> None:
    inner = replace(SNAPSHOT.loops[1], runs=(7, 7))
    seen = exploration(trips={}, snapshot=replace(SNAPSHOT, loops=(SNAPSHOT.loops[0], inner)))
    assert [loop["trips_measured"] for loop in document(seen)["loops"]] == [None, [7, 7]]


def test_slots_say_whether_a_gradient_passes() -> None:
    outer, inner = document(exploration(x="none-blocked"))["loops"]
    assert [slot["gradient"] for slot in outer["slots"]] == ["not-trainable"]
    assert [slot["gradient"] for slot in inner["slots"]] == ["flows", "none-blocked", "none-disconnected"]
    assert document(exploration(flow=None))["loops"][1]["slots"][0]["gradient"] is None


def test_sources_put_prediction_measurement_and_status_side_by_side() -> None:
    x, w = document(exploration(x="zero-blocked"))["sources"]
    assert (x["predicted"], x["measured"], x["status"], x["barriers"]) == (
        "none-blocked",
        "zero",
        "zero-blocked",
        ["b1"],
    )
    assert (w["predicted"], w["measured"], w["status"], w["norm"]) == ("flows", "finite", "flows", 0.25)
    assert x["shape"] == [None, None, None, 10]


def test_a_barrier_has_cause_loop_and_line() -> None:
    (barrier,) = document(exploration(x="none-blocked"))["barriers"]
    assert (barrier["cause"], barrier["loop"], barrier["file"], barrier["line"]) == (
        "integer_dtype", "outer/inner", "model.py", 12,
    )  # fmt: skip


def test_a_run_that_died_keeps_what_it_had() -> None:
    found = document(died())
    assert (found["outcome"], len(found["loops"]), found["error"]["line"]) == ("crashed", 2, 12)
    for row in found["sources"]:
        assert (row["predicted"], row["measured"], row["status"]) == ("flows", "unobserved", None)


def test_bad_numbers_have_op_phase_and_line() -> None:
    bad = BadNumber(
        "nan", "forward", "Sqrt", "outer/Sqrt", "outer", Location("model.py", 9), "sqrt", "It was negative."
    )
    assert document(exploration(numerics=(bad,)))["numerics"] == [
        {"kind": "nan", "phase": "forward", "op": "outer/Sqrt", "op_type": "Sqrt", "loop": "outer", "cause": "sqrt",
         "file": "model.py", "line": 9, "sentence": "It was negative."},
    ]  # fmt: skip


def test_what_is_not_known_is_null() -> None:
    found = document(Exploration(Case("nested_while_loop")))
    assert found["outcome"] is None
    assert found["error"] is None
    assert found["device"] is None
    assert found["graph"] == {"ops": None, "functions": None, "control_flow": None}
    assert set(found["seconds"].values()) == {None}


def test_the_case_names_the_way_that_ran() -> None:
    assert document(exploration(way="eager"))["case"]["way"] == "eager"
    assert document(disagreeing())["disagreements"][0]["measured"] == "none"


def test_several_ways_have_one_document_each_and_their_differences() -> None:
    nan = exploration(x="nan", way="xla")
    found = document_of_ways([exploration(), nan])
    assert list(found) == [*document(nan), "ways", "differences"]
    assert found["ways"]["xla"] == document(nan)
    assert found["differences"] == [
        {"source": "x", "ways": {"graph": "finite", "xla": "nan"},
         "sentence": "The gradient of x is finite in tf.function, NaN under XLA. XLA and the plain kernels round and "
         "order the same formula differently near a singular point."},
    ]  # fmt: skip


def test_ways_that_ended_differently_are_a_difference() -> None:
    crashed = replace(died(), way="xla")
    assert document_of_ways([exploration(), crashed])["differences"] == [
        {"source": None, "ways": {"graph": "done", "xla": "crashed"},
         "sentence": "In tf.function it finishes; under XLA it crashes the process."},
    ]  # fmt: skip
    assert document_of_ways([exploration(), exploration(way="eager")])["differences"] == []


def test_number_checks_and_second_order_are_told() -> None:
    failure = Failure("probe", "TypeError", "Refused.", SNAPSHOT.stacks[2][0], hint="Write it otherwise.")
    found = document(
        exploration(
            number_checks=(NumberCheck("x", None, None, 0, "x: cannot be judged."),),
            second_order=SecondOrder(failure=failure),
        )
    )
    assert found["number_checks"] == [
        {"source": "x", "agrees": None, "error": None, "coordinates": 0, "sentence": "x: cannot be judged."}
    ]
    assert found["second_order"]["sources"] == []
    assert found["second_order"]["error"]["hint"] == "Write it otherwise."
    assert document(exploration())["second_order"] is None
    twice = document(exploration(second_order=SecondOrder((Measurement("x", "finite", 2.0, 4),))))["second_order"]
    assert twice == {"sources": [{"name": "x", "measured": "finite", "norm": 2.0}], "error": None}


NUMBERS = st.floats(allow_nan=True, allow_infinity=True)


@given(
    case=st.from_type(Case),
    failure=st.none() | st.from_type(Failure),
    norms=st.tuples(NUMBERS, NUMBERS),
    conclusions=st.lists(st.from_type(Conclusion), max_size=2).map(tuple),
    memory=st.dictionaries(st.text(), NUMBERS),
)
def test_it_is_strict_json_whatever_the_run_said(case, failure, norms, conclusions, memory) -> None:
    run = BackwardRun(tuple(Measurement(name, "finite", norm) for name, norm in zip("xw", norms, strict=True)))
    content = document(
        exploration(
            case=case, failure=failure, run=run, conclusions=conclusions, memory=memory, seconds={"total": norms[0]}
        )
    )
    back = json.loads(to_json(content), parse_constant=lambda word: pytest.fail(f"{word} is not strict JSON"))
    assert back == content
    assert [row["norm"] for row in back["sources"]] == [strict(norm) for norm in norms]


@given(NUMBERS)
def test_numbers_without_a_json_form_become_words(number) -> None:
    word = strict(number)
    assert word == number if math.isfinite(number) else word in ("NaN", "Infinity", "-Infinity")
    assert float(word) == number or math.isnan(number)


def test_a_nan_that_slipped_through_is_an_error() -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_json({"norm": float("nan")})
