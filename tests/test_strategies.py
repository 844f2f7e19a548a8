"""The tables of strategies, options and breakers, and how a breaker gets into a sample model's text."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from explorer.model.case import WAYS, BadInput
from explorer.strategies.breakers import BREAKERS, find_breaker, offered, split_breaker
from explorer.strategies.catalogue import STRATEGIES, find_strategy, get_strategy, strategies_document
from explorer.strategies.options import CELL, UNITS
from explorer.strategies.parse import make_case
from explorer.strategies.source import build_arguments, load_text, places, sample_file, sample_folder, written

KEYS = [strategy.key for strategy in STRATEGIES]
BROKEN = [(s.key, b.key, at) for s in STRATEGIES for b in offered(s.places, s.way) for at in b.places_in(s.places)]


def test_the_keys_that_scripts_rely_on():
    assert {"map_fn_keras_rnn", "nested_while_loop", "python_loop_tape", "tf1_map_fn_dynamic_rnn"} <= set(KEYS)
    assert len(set(KEYS)) == len(KEYS)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=KEYS)
def test_a_row_is_complete(strategy):
    assert strategy.way in WAYS
    assert strategy.summary
    assert strategy.when
    assert strategy.pitfalls
    assert len(strategy.dims) == len(strategy.shape) == len(strategy.sizes)
    assert all(dim is None or dim == size for dim, size in zip(strategy.shape, strategy.sizes, strict=True))
    assert find_strategy(strategy.key) is strategy


def test_the_document_is_plain_json_and_names_what_each_strategy_takes():
    document = json.loads(json.dumps(strategies_document(), allow_nan=False))
    assert [row["key"] for row in document] == KEYS
    for row in document:
        assert [option["key"] for option in row["options"]] == [o.key for o in get_strategy(row["key"]).options]
        assert [option["key"] for option in row["options"][:2]] == ["cell", "units"]
        assert row["options"][0]["choices"] == ["SimpleRNN", "GRU", "LSTM"]
        assert {breaker["key"] for breaker in row["breakers"]} >= {"stop_gradient", "integer_cast"}
        assert all(set(breaker["places"]) <= set(get_strategy(row["key"]).places) for breaker in row["breakers"])
        assert "{h}" not in json.dumps(row)


@pytest.mark.parametrize("key", KEYS)
def test_a_sample_model_marks_the_places_its_row_names(key):
    marked = places(sample_file(key).read_text(encoding="utf-8"))
    assert len(marked) == len(set(marked))
    assert set(marked) == set(get_strategy(key).places)


def test_a_breaker_is_offered_where_it_can_stand_and_means_something():
    keys = {way: {row.key for row in offered(("inner", "weights", "tape"), way)} for way in WAYS}
    assert keys["graph"] == keys["xla"] == {row.key for row in BREAKERS}
    assert keys["graph"] - keys["eager"] == {"carry_replaced"}  # eagerly, tf.while_loop is a Python loop
    assert keys["graph"] - keys["tf1"] == {"not_watched"}  # tf.gradients asks no tape
    assert {row.key for row in offered(("outer",), "graph")}.isdisjoint({"unused_weight", "result_dropped"})
    assert all(row.places_in(strategy.places) for strategy in STRATEGIES for row in BREAKERS[:2])
    with pytest.raises(BadInput, match=r"not_watched means nothing in the way tf1: write --way eager"):
        split_breaker("not_watched", ("tape",), "it", "tf1")
    with pytest.raises(BadInput, match="it has no place for breaker not_watched"):
        split_breaker("not_watched", ("inner",), "it")


@pytest.mark.parametrize(("key", "breaker", "place"), BROKEN)
def test_a_breaker_replaces_one_line_and_moves_none(key, breaker, place):
    file, clean = load_text(key)
    same_file, broken = load_text(key, f"{breaker}@{place}")
    assert file == same_file == str(sample_file(key))
    before, after = clean.splitlines(), broken.splitlines()
    row = find_breaker(breaker)
    assert after[len(before) :] == (["", row.needs] if row.needs else [])
    changed = [(old, new) for old, new in zip(before, after, strict=False) if old != new]
    ((old, new),) = changed
    assert old.strip().startswith(f"# breaker @{place} {row.damaged}:")
    assert new == old[: len(old) - len(old.lstrip())] + row.mistake.format(h=row.damaged)
    ast.parse(broken)


def test_without_a_breaker_the_text_is_the_file():
    for key in KEYS:
        assert load_text(key)[1] == sample_file(key).read_text(encoding="utf-8") == written(load_text(key)[1], None)


def test_written_takes_the_indentation_and_the_name_from_the_comment():
    source = "def f(state):\n\t# breaker @inner state: why\n\treturn state\n"
    assert written(source, "stop_gradient@inner") == (
        "def f(state):\n\tstate = tf.stop_gradient(state)\n\treturn state\n"
    )
    with pytest.raises(BadInput, match="Unknown place 'outer'"):
        written(source, "stop_gradient@outer")
    with pytest.raises(BadInput, match="no place"):
        written("x = 1\n", "stop_gradient")


def test_a_breaker_without_a_place_acts_in_the_first_one():
    row, place = split_breaker("integer_cast", ("outer", "inner"), "it")
    assert (row.key, row.cause, place) == ("integer_cast", "integer_dtype", "outer")


def test_build_arguments_are_those_of_the_sample_models():
    case = make_case("nested_while_loop", ["x=None,4,None,6"], options=["cell=GRU", "units=3"], seed=5)
    assert build_arguments(case) == {
        "cell": "GRU", "units": 3, "shape": (None, 4, None, 6), "sizes": (3, 4, 7, 6), "seed": 5,
        "scale": 1.0, "dtype": "float32", "parallel_iterations": 10, "lengths": "full", "maximum_iterations": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("option", "text", "value"), [(CELL, "GRU", "GRU"), (UNITS, "1", 1), (UNITS, "4096", 4096), (UNITS, "+7", 7)]
)
def test_an_option_reads_its_values(option, text, value):
    assert option.read(text, "it") == value


def test_mixed_float16_computes_on_a_float32_input_and_every_layer_can_be_asked_for():
    case = make_case("map_fn_keras_rnn", options=["dtype=mixed_float16", "layers=2"], wrt=["rnn/stacked/cell_1/kernel"])
    assert case.inputs[0].dtype == "float32"
    assert dict(case.options).items() >= {"dtype": "mixed_float16", "layers": 2}.items()
    assert case.wrt == ("rnn/stacked/cell_1/kernel",)


def test_where_no_signature_is_given_what_is_written_out_keeps_its_size():
    assert make_case("unrolled", sizes=["x=2,3,4,5"]).inputs[0].shape == (None, None, 4, 5)
    # Asked for, an open dimension is left to TensorFlow, which refuses it in words of its own.
    assert make_case("unrolled", ["x=None,None,None,5"]).inputs[0].shape == (None, None, None, 5)


def test_the_sample_folder_is_the_one_beside_the_package():
    assert sample_folder() == Path(__file__).resolve().parent.parent / "sample_models"


def test_every_sample_model_belongs_to_a_strategy():
    assert {path.name for path in sample_folder().glob("*.py")} == {strategy.file for strategy in STRATEGIES}
