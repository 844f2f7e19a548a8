"""Every remedy that is offered gives the gradient back, on real TensorFlow; where nothing is lost, none is offered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from explorer.client import Engine
from explorer.export.pair import pair
from explorer.layout.nest import decide
from explorer.layout.place import place_fast
from explorer.model.case import BadInput
from explorer.model.verdict import Conclusion, Exploration, Failure
from explorer.strategies.address import case_from_query, case_to_query
from explorer.strategies.breakers import BREAKERS, REPAIRED, Breaker
from explorer.strategies.parse import make_case
from explorer.strategies.remedies import Remedy, remedies
from explorer.strategies.source import load_text
from tests.exploration_samples import nested_lstm


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


def run(engine: Engine, remedy: Remedy) -> Exploration:
    return engine.start(remedy.case).wait(120)


def of_breaker(row: Breaker) -> dict[str, Remedy]:
    """Those offered for a breaker in the quickest strategy that it means something in."""
    strategy = "nested_while_loop" if "tape" not in row.places else "python_loop_tape"
    place = "outer" if "outer" in row.places else row.places[0]
    case = make_case(strategy, breaker=f"{row.key}@{place}")
    return {remedy.key: remedy for remedy in remedies(Exploration(case, "done"))}


def ended(outcome: Any, message: str = "", way: str = "", statuses: tuple[Any, ...] = (), **case: Any) -> Exploration:
    told = Failure("backward", "ValueError", message) if message else None
    conclusions = tuple(Conclusion(str(number), status) for number, status in enumerate(statuses))
    return Exploration(make_case(**case), outcome, failure=told, way=way, conclusions=conclusions)


@pytest.mark.tensorflow
@pytest.mark.parametrize("row", [row for row in BREAKERS if row.repair], ids=lambda row: row.key)
def test_the_repaired_line_gives_the_gradient_back(engine: Engine, row: Breaker) -> None:
    found = run(engine, of_breaker(row)["repair"])
    assert found.outcome == "done", found.failure
    assert {c.status for c in found.conclusions} == {"flows"}
    assert not found.disagreements
    assert row.repair.format(h=row.damaged) in found.code
    assert not remedies(found)


@pytest.mark.tensorflow
def test_a_second_derivative_comes_back_in_tf2(engine: Engine) -> None:
    before = engine.start(make_case("tf1_nested_while_loop", second_order=True)).wait(120)
    (remedy,) = remedies(before)
    assert remedy.case.target == "nested_while_loop"
    after = run(engine, remedy)
    assert before.second_order is not None
    assert before.second_order.failure is not None
    assert after.second_order is not None
    assert {m.measured for m in after.second_order.measurements} == {"finite"}


@pytest.mark.tensorflow
def test_bounded_loops_can_be_compiled(engine: Engine) -> None:
    before = engine.start(make_case("nested_while_loop", way="xla")).wait(120)
    assert {c.status for c in before.conclusions} == {"raised"}
    for remedy in remedies(before):
        after = run(engine, remedy)
        assert {c.status for c in after.conclusions} == {"flows"}, remedy
    assert [remedy.key for remedy in remedies(before)] == ["xla_nested_while_loop", "graph"]


@pytest.mark.tensorflow
def test_weights_of_usual_size_give_a_gradient_of_usual_size(engine: Engine) -> None:
    case = make_case("nested_while_loop", options=["scale=10", "cell=GRU"], sizes=["x=2,2,100,10"])
    before = engine.start(case).wait(120)
    assert "exploding" in {c.status for c in before.conclusions}
    (remedy,) = remedies(before)
    assert {c.status for c in run(engine, remedy).conclusions} == {"flows"}


@pytest.mark.tensorflow
def test_one_layer_for_all_is_trained(engine: Engine) -> None:
    before = engine.start(make_case("fresh_layer_per_element")).wait(120)
    (remedy,) = remedies(before)
    after = run(engine, remedy)
    assert before.flow is not None
    assert [risk.cause for risk in before.flow.risks] == ["fresh_weights"]
    assert after.flow is not None
    assert not after.flow.risks


def test_every_breaker_can_be_left_out_and_most_repaired() -> None:
    for row in BREAKERS:
        found = of_breaker(row)
        assert ("repair" in found) == bool(row.repair)
        assert found["drop"].case.breaker is None
    assert {row.key for row in BREAKERS if not row.repair} == {"unused_weight", "not_watched"}


def test_a_repair_is_part_of_the_case() -> None:
    case = make_case("map_fn_keras_rnn", breaker="round:repaired")
    assert case.breaker == "round:repaired@inner"
    assert case_from_query(case_to_query(case)) == case
    clean, repaired = (load_text(case.target, breaker)[1] for breaker in (None, case.breaker))
    assert len(clean.splitlines()) == len(repaired.splitlines())
    with pytest.raises(BadInput, match="only to leave it out"):
        make_case("map_fn_keras_rnn", breaker=f"unused_weight{REPAIRED}")


def test_where_nothing_is_lost_nothing_is_offered() -> None:
    assert not remedies(ended("done", statuses=("flows",), target="nested_while_loop"))
    assert not remedies(ended("done", statuses=("flows",), way="xla", target="nested_while_loop"))


def test_each_ending_has_its_remedy() -> None:
    unknown = "Cannot convert a partially known TensorShape <unknown> to a Tensor."
    found = remedies(ended("raised", unknown, target="vectorized_map", inputs=["x=None,None,7,10"]))
    assert [remedy.key for remedy in found] == ["static", "map_fn_keras_rnn"]
    assert found[0].case.inputs[0].shape == found[0].case.inputs[0].size
    (longer,) = remedies(ended("timed_out", "The time limit.", target="nested_while_loop", timeout=1))
    assert longer.case.timeout == 120


def test_both_pictures_stand_side_by_side() -> None:
    before = nested_lstm()
    after = replace(before, flow=None)
    scenes = [place_fast(decide(each, "nest")) for each in (before, after)]
    drawn = pair(("Before: x", scenes[0]), ("After: y", scenes[1]))
    assert drawn.index("Before: x") < drawn.index("After: y")
    assert drawn.count("scale(") == 2
