"""The comparison: what is run and in which turns, what the rows say, and what is recommended. No TensorFlow."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.cli.main import Services, main
from explorer.codec.comparison import SECONDS, comparison_csv, comparison_document
from explorer.model.case import BadInput, Case
from explorer.model.comparison import Comparison, Trial
from explorer.model.speed import GradientSample, Speed
from explorer.model.verdict import Exploration, Failure, SecondOrder
from explorer.rules.compare import difference_from, recommend
from explorer.strategies.parse import make_case
from explorer.usecases.compare import ROUNDS, compare, stepwise
from tests.explorations import died, exploration

KEYS = ["map_fn_keras_rnn", "nested_while_loop", "tf1_map_fn_dynamic_rnn"]
SLOPE = GradientSample("kernel", (2,), 5.0, (3.0, 4.0))


def speed(forward: float = 0.01, gradients: tuple[GradientSample, ...] = (SLOPE,)) -> Speed:
    return Speed(0.1, 0.5, 0.2, forward, 3 * forward, 5, 60.0, gradients)


def healthy(case: Case) -> Exploration:
    if case.speed_only:
        return exploration(case=case, speed=speed())
    return exploration(case=case, second_order=SecondOrder())


@dataclass
class Fake:
    """An engine whose every run ends at once, as ``answer`` says."""

    answer: Callable[[Case], Exploration] = healthy
    cases: list[Case] = field(default_factory=list)

    def start(self, case: Case) -> Fake:
        self.cases.append(case)
        return self

    def wait_for(self, arrived: Callable[[Exploration], bool], timeout: float | None = None) -> Exploration:
        return self.answer(self.cases[-1])

    def cancel(self) -> None: ...


def compared(answer: Callable[[Case], Exploration] = healthy, keys: list[str] = KEYS) -> tuple[Comparison, list[Case]]:
    engine = Fake(answer)
    return compare(keys, make_case, engine), engine.cases


def test_every_strategy_is_timed_in_turns() -> None:
    found, cases = compared()
    timed = [case.target for case in cases if case.speed_only and case.way != "xla"]
    assert timed[: ROUNDS * len(KEYS)] == KEYS * ROUNDS
    assert [row.strategy for row in found.rows] == KEYS
    assert {row.rounds for row in found.rows} == {ROUNDS}
    assert all(case.second_order for case in cases if not case.speed_only)


def test_compiled_is_static_and_opened_is_open_where_it_may_be() -> None:
    _, cases = compared(keys=["nested_while_loop"])
    compiled = next(case for case in cases if case.way == "xla")
    assert compiled.inputs[0].shape == compiled.inputs[0].size == (3, 5, 7, 10)
    assert cases[-2].inputs[0].shape == (None, None, None, 10)


def test_tf1_is_not_compiled_and_says_why() -> None:
    found, cases = compared()
    assert not [case for case in cases if case.way == "xla" and case.target.startswith("tf1")]
    row = found.rows[2]
    assert (row.xla.works, bool(row.xla.why)) == ("no", True)


def test_one_that_crashes_costs_the_others_nothing() -> None:
    def answer(case: Case) -> Exploration:
        return replace(died(), case=case) if case.target == "map_fn_keras_rnn" else healthy(case)

    found, cases = compared(answer)
    crashed, *others = found.rows
    assert crashed.outcome == "crashed"
    assert crashed.verdict
    assert crashed.forward is None
    assert all(row.healthy for row in others)
    assert [case.target for case in cases].count("map_fn_keras_rnn") == 1


def test_a_crash_under_xla_is_a_cell_with_a_sentence() -> None:
    def answer(case: Case) -> Exploration:
        return replace(died(), case=case) if case.way == "xla" else healthy(case)

    found, _ = compared(answer, KEYS[:1])
    assert found.rows[0].healthy
    assert found.rows[0].xla.works == "no"
    assert found.rows[0].xla.why == "It crashed: The process ended with signal 11."


def test_what_a_strategy_refuses_is_a_row_too() -> None:
    def make(key: str) -> Case:
        if key == "nested_while_loop":
            raise BadInput("It takes no such shape: write another.")
        return make_case(key)

    found = compare(KEYS, make, Fake())
    assert found.rows[1].outcome == "refused"
    assert found.rows[1].verdict == "It takes no such shape: write another."
    assert found.reference == "map_fn_keras_rnn"


def test_every_step_says_what_comes_next_and_ends_whole() -> None:
    steps = list(stepwise(KEYS, make_case, Fake()))
    assert [now.done for now, _ in steps] == list(range(len(steps)))
    assert all(doing for _, doing in steps[:-1])
    last, doing = steps[-1]
    assert (last.done, doing) == (last.total, "")
    assert last.recommended in KEYS
    assert not any(now.recommended for now, _ in steps[:-1])


def test_a_second_derivative_that_is_refused_says_why() -> None:
    refusal = SecondOrder(failure=Failure("backward", "TypeError", "Second-order gradient.", hint="Port the loop."))

    def answer(case: Case) -> Exploration:
        return healthy(case) if case.speed_only else exploration(case=case, second_order=refusal)

    found, _ = compared(answer, KEYS[:1])
    assert (found.rows[0].second_order.works, found.rows[0].second_order.why) == ("no", "Port the loop.")


numbers = st.floats(-1e3, 1e3, allow_nan=False).filter(lambda v: abs(v) > 1e-3)


def trial(values: tuple[float, ...], source: str = "kernel") -> Trial:
    sample = GradientSample(source, (len(values),), 1.0, values)
    return Trial("any", timed=(exploration(speed=speed(gradients=(sample,))),))


@given(st.lists(numbers, min_size=1, max_size=5), st.floats(0.0, 10.0))
def test_the_difference_is_relative(values: list[float], factor: float) -> None:
    one, other = trial(tuple(values)), trial(tuple(v * (1 + factor) for v in values), "layer/kernel")
    assert difference_from(one, one) == 0.0
    assert difference_from(one, other) == pytest.approx(factor, rel=1e-6, abs=1e-12)


def test_none_against_a_number_is_no_difference() -> None:
    assert difference_from(trial((1.0,)), trial(())) is None
    assert difference_from(trial((1.0,)), trial((1.0, 2.0))) is None
    assert difference_from(trial((1.0,)), trial((1.0,), "other")) is None


def test_a_gradient_that_differs_is_never_recommended() -> None:
    def answer(case: Case) -> Exploration:
        if not case.speed_only or case.target == "nested_while_loop":
            return healthy(case)
        wrong = GradientSample("kernel", (2,), 5.0, (3.0, 4.1))
        return exploration(case=case, speed=speed(0.001, (wrong,)))

    found, _ = compared(answer)
    assert [row.agrees for row in found.rows] == [False, True, False]
    assert found.recommended == "nested_while_loop"


def test_the_fastest_is_recommended_with_its_time() -> None:
    def answer(case: Case) -> Exploration:
        if not case.speed_only:
            return healthy(case)
        return exploration(case=case, speed=speed(0.002 if case.target == "map_fn_keras_rnn" else 0.02))

    found, _ = compared(answer)
    assert found.recommended == "map_fn_keras_rnn"
    assert "6.0 ms" in found.reason
    assert "10 to 10 times as long" in found.reason


def test_nothing_to_recommend_is_said() -> None:
    assert recommend(()) == ("", recommend(())[1])
    assert "No strategy can be recommended" in recommend(())[1]


def test_document_and_table_hold_every_row() -> None:
    found, _ = compared()
    document = json.loads(json.dumps(comparison_document(found), allow_nan=False))
    assert [row["strategy"] for row in document["rows"]] == KEYS
    assert set(document["rows"][0]["seconds"]) == set(SECONDS)
    assert document["rows"][0]["xla"] == {"works": True, "why": None}
    lines = list(csv.DictReader(io.StringIO(comparison_csv(found))))
    assert [line["strategy"] for line in lines] == KEYS
    assert [line["recommended"] for line in lines].count("True") == 1


def call(*words: str, answer: Callable[[Case], Exploration] = healthy) -> tuple[int, str, str]:
    @contextmanager
    def opened():
        yield Fake(answer)

    out, err = io.StringIO(), io.StringIO()
    return main(["compare", *words], Services(engine=opened), out, err), out.getvalue(), err.getvalue()


def test_the_command_prints_a_table_and_writes_files(tmp_path: Path) -> None:
    code, out, _ = call(*KEYS, "--export", str(tmp_path / "t.csv"), "--json", str(tmp_path / "t.json"))
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:4]] == KEYS
    assert "reference" in out
    assert (tmp_path / "t.csv").read_text().count("\n") == 4
    assert json.loads((tmp_path / "t.json").read_text())["recommended"] in KEYS


def test_a_lost_gradient_is_a_finding() -> None:
    code, out, _ = call(KEYS[0], answer=lambda case: exploration(case=case, x="none-blocked", speed=speed()))
    assert code == 1
    assert "1 of 2 flow" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no_such"], "no_such"),
        ([*KEYS, "--sweep", "features=2,4"], "Cannot sweep 'features'"),
        ([*KEYS, "--sweep", "time=2,-4"], "write whole numbers"),
        ([*KEYS, "--sweep", "time"], "write whole numbers"),
        ([*KEYS, "--way", "graph", "--way", "eager"], "give --way once"),
        (["--input", "x=3,x"], "not a dimension"),
        ([*KEYS, "--export", "t.dot"], "Cannot tell the format"),
        ([*KEYS, "--export", "t.xyz"], "Cannot tell the format"),
    ],
)
def test_bad_input_is_one_sentence(words: list[str], said: str) -> None:
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
