"""The page, run by Streamlit's AppTest with an engine that answers from a script: no TensorFlow, no browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from explorer.layout.place import place_fast
from explorer.model.case import Case
from explorer.model.graph import Location
from explorer.model.verdict import (
    BackwardRun,
    BadNumber,
    Disagreement,
    Exploration,
    Failure,
    Measurement,
    NumberCheck,
    Risk,
    SecondOrder,
)  # fmt: skip
from explorer.rules.conclude import conclude
from explorer.strategies.address import case_from_query
from explorer.strategies.catalogue import STRATEGIES
from explorer.strategies.source import load_text
from explorer.ui import address, picture, session, view, ways
from tests.exploration_samples import FILE, nested_lstm

APP = Path(__file__).resolve().parent.parent / "app.py"

Answer = Callable[[Case], Exploration]


class FakeJob:
    """What explorer.client.Job offers to the page."""

    def __init__(self, answer: Exploration) -> None:
        self.exploration = answer

    @property
    def running(self) -> bool:
        return self.exploration.outcome is None

    def cancel(self) -> None:
        if self.running:
            self.exploration = replace(self.exploration, outcome="cancelled")


class FakeEngine:
    """Answers each case with what the test says."""

    def __init__(self) -> None:
        self.ready = True
        self.answer: Answer = finished
        self.jobs: list[tuple[Case, FakeJob]] = []

    def start(self, case: Case) -> FakeJob:
        job = FakeJob(self.answer(case))
        self.jobs.append((case, job))
        return job

    def close(self) -> None:
        """Nothing to end."""


def finished(case: Case) -> Exploration:
    """Cut where the case asks for a breaker, whole otherwise."""
    code = load_text(case.target, case.breaker)[1]
    found = nested_lstm((case.breaker or "").partition("@")[0])
    assert found.flow is not None
    barriers = tuple(barrier.id for barrier in found.flow.barriers)
    rows = [
        replace(row, barriers=barriers) if row.predicted == "none-blocked" else row for row in found.flow.predictions
    ]
    found = replace(found, flow=replace(found.flow, predictions=tuple(rows)))
    return replace(found, case=case, file=FILE, code=code, way="graph", stage="backward")


def died(case: Case, outcome: str, traced: bool = True) -> Exploration:
    """Ended while it differentiated, or before it had traced anything."""
    failure = Failure("backward", "SegmentationFault", "The process ended with signal 11.", Location(FILE, 12))
    known = finished(case) if traced else Exploration(case)
    return conclude(replace(known, outcome=outcome, failure=failure, conclusions=()))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEngine]:
    fake = FakeEngine()
    monkeypatch.setattr(session, "make_engine", lambda: fake)
    monkeypatch.setattr(picture, "place_in_child", place_fast)
    picture.scene_of.cache_clear()
    st.cache_resource.clear()
    session.engine()
    yield fake
    st.cache_resource.clear()


def page(engine: FakeEngine, **address: str) -> AppTest:
    """The page as a visitor finds it."""
    app = AppTest.from_file(str(APP), default_timeout=60)
    for name, value in address.items():
        app.query_params[name] = value
    return again(app.run())


def query(app: AppTest) -> dict[str, str]:
    """The address: AppTest gives what the page wrote as text, what the test wrote as a list."""
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}


def again(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    return app


def unfold(app: AppTest, whether: bool = True) -> None:
    """Open or close the part of the sidebar that is drawn only when it is open."""
    app.session_state["more"] = whether
    again(app.run())


def verdicts(app: AppTest) -> list[str]:
    return [element.value for kind in (app.success, app.error, app.warning, app.info) for element in kind]


def sentence(app: AppTest) -> str:
    """The complaint about the input: the sidebar's one error."""
    errors = app.sidebar.error
    assert len(errors) == 1
    return str(errors[0].value)


def shown(app: AppTest) -> str:
    return "\n".join(str(element.proto.body) for element in app.get("html"))


def is_drawn(app: AppTest) -> bool:
    """Whether the picture is on the page."""
    return "graph" in [element.key for element in app.get("bidi_component")]


def test_the_first_visit_runs_the_usual_case_and_shows_it(engine: FakeEngine) -> None:
    app = page(engine)
    assert [case.target for case, _ in engine.jobs] == [STRATEGIES[0].key]
    assert app.success[0].value == "Gradient reaches all 5 sources."
    assert is_drawn(app)
    assert query(app)["target"] == STRATEGIES[0].key


def test_a_link_fills_the_widgets_and_does_not_run(engine: FakeEngine) -> None:
    app = page(
        engine, target="nested_while_loop", input="x=None,4,None,6", size="x=2,4,3,6", option="cell=GRU;units=5",
        breaker="integer_cast@outer", seed="7", timeout="9.5", way="eager",
    )  # fmt: skip
    assert engine.jobs == []
    assert app.selectbox(key="strategy").value == "nested_while_loop"
    assert [app.text_input(key=f"dim {n}").value for n in range(4)] == ["None", "4", "None", "6"]
    assert [app.text_input(key=f"size {n}").value for n in range(4)] == ["2", "4", "3", "6"]
    assert app.selectbox(key="option cell").value == "GRU"
    assert app.number_input(key="option units").value == 5
    assert (app.selectbox(key="breaker").value, app.selectbox(key="place").value) == ("integer_cast", "outer")
    unfold(app)
    assert (app.number_input(key="seed").value, app.number_input(key="timeout").value) == (7, 9.5)
    assert app.pills(key="ways").value == ["eager"]
    assert "Press **Run**" in app.info[0].value


def test_every_widget_reaches_the_case_and_the_address(engine: FakeEngine) -> None:
    app = page(engine)
    app.selectbox(key="strategy").set_value("python_loop_tape")
    app.selectbox(key="option cell").set_value("SimpleRNN")
    app.number_input(key="option units").set_value(3)
    app.text_input(key="size 0").set_value("2")
    app.selectbox(key="breaker").set_value("stop_gradient")
    again(app.run())
    app.selectbox(key="place").set_value("outer")
    unfold(app)
    app.selectbox(key="device").set_value("cpu")
    app.number_input(key="seed").set_value(11)
    app.number_input(key="memory").set_value(2048)
    app.multiselect(key="wrt").set_value(["x"])
    app.toggle(key="probe").set_value(False)
    again(app.run())
    unfold(app, False)
    again(app.button(key="run").click().run())
    case = engine.jobs[-1][0]
    assert case.target == "python_loop_tape"
    assert dict(case.options).items() >= {"cell": "SimpleRNN", "units": 3}.items()
    assert (case.inputs[0].size, case.breaker, case.device) == ((2, 5, 7, 10), "stop_gradient@outer", "cpu")
    assert (case.seed, case.memory, case.wrt, case.probe) == (11, 2048, ("x",), False)
    assert case_from_query(query(app)) == case


def test_what_a_strategy_does_not_know_is_not_offered(engine: FakeEngine) -> None:
    app = page(engine, target="map_fn_keras_rnn", breaker="not_watched")
    assert (app.selectbox(key="place").value, app.selectbox(key="place").options) == ("tape", ["tape"])
    assert app.toggle(key="option bidirectional").value is False
    again(app.selectbox(key="option lengths").set_value("ragged").run())
    again(app.button(key="run").click().run())
    case = engine.jobs[-1][0]
    assert (case.breaker, dict(case.options)["lengths"]) == ("not_watched@tape", "ragged")
    again(app.selectbox(key="strategy").set_value("tf1_nested_while_loop").run())
    assert app.selectbox(key="breaker").value == "none"  # tf.gradients asks no tape
    assert "not watched" not in app.selectbox(key="breaker").options
    assert app.number_input(key="option maximum_iterations").value == 0
    again(app.selectbox(key="breaker").set_value("unused_weight").run())
    assert app.selectbox(key="place").value == "weights"


def test_a_fixed_dimension_is_the_size_of_the_run_too(engine: FakeEngine) -> None:
    app = page(engine)
    again(app.text_input(key="dim 2").set_value("4").run())
    assert app.text_input(key="size 2").value == "4"


@pytest.mark.parametrize(
    ("widget", "word", "named"),
    [
        ("dim 1", "x", "not a dimension"),
        ("dim 3", "None", "features"),
        ("size 3", "9", "contradicts"),
        ("size 0", "0", "0"),
        ("size 0", "-2", "negative"),
        ("size 0", "1000000000000", "x"),
        ("size 0", "", "empty place"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_lost(
    engine: FakeEngine, widget: str, word: str, named: str
) -> None:  # fmt: skip
    app = page(engine)
    again(app.text_input(key=widget).set_value(word).run())
    assert named in sentence(app)
    again(app.button(key="run").click().run())
    assert named in sentence(app)
    assert len(engine.jobs) == 1
    assert is_drawn(app)
    assert app.success[0].value == "Gradient reaches all 5 sources."


@pytest.mark.parametrize("target", ["no_such_strategy", "app.py", "/etc/passwd"])
def test_a_link_to_anything_but_a_strategy_is_refused(engine: FakeEngine, target: str) -> None:
    app = page(engine, target=target)
    assert "strategy" in sentence(app)
    assert engine.jobs == []


def test_a_barrier_is_told_with_cause_line_and_remedy(engine: FakeEngine) -> None:
    app = page(engine, target="nested_while_loop", breaker="integer_cast@inner")
    again(app.button(key="run").click().run())
    assert "cut at Cast" in app.error[0].value
    text = shown(app)
    assert "model.py:17" in text
    assert "Keep the path in floating point." in text
    assert "integers have no gradient" in app.error[1].value
    assert "Barriers (1)" in [tab.label for tab in app.tabs]


def test_the_code_that_ran_is_shown_with_the_mistake_in_it(engine: FakeEngine) -> None:
    app = page(engine, target="nested_while_loop", breaker="stop_gradient@inner")
    again(app.button(key="run").click().run())
    assert "tf.stop_gradient(" in shown(app)


@pytest.mark.parametrize("outcome", ["crashed", "timed_out", "out_of_memory", "raised"])
def test_a_run_that_ended_early_says_so_and_keeps_the_picture(engine: FakeEngine, outcome: str) -> None:
    engine.answer = lambda case: died(case, outcome)
    app = page(engine)
    assert any("signal 11" in text for text in verdicts(app))
    assert any("SegmentationFault (model.py:12)" in expander.label for expander in app.expander)
    assert is_drawn(app)


def test_a_run_that_drew_nothing_leaves_the_earlier_picture(engine: FakeEngine) -> None:
    app = page(engine)
    engine.answer = lambda case: died(case, "raised", traced=False)
    again(app.button(key="run").click().run())
    assert is_drawn(app)
    assert any("earlier run" in caption.value for caption in app.caption)


def test_cancel_stops_the_job_and_keeps_what_is_known(engine: FakeEngine) -> None:
    engine.answer = lambda case: replace(finished(case), outcome=None)
    app = page(engine)
    assert not app.button(key="cancel").disabled
    again(app.button(key="cancel").click().run())
    assert engine.jobs[0][1].exploration.outcome == "cancelled"
    assert is_drawn(app)


def test_while_tensorflow_loads_the_page_is_there(engine: FakeEngine) -> None:
    engine.ready = False
    engine.answer = lambda case: Exploration(case)
    app = page(engine)
    assert app.selectbox(key="strategy").value == STRATEGIES[0].key
    assert not is_drawn(app)


def test_a_disagreement_is_never_hidden(engine: FakeEngine) -> None:
    told = Disagreement("x", "flows", "none", "x is predicted to flow, and TensorFlow answers None.")
    engine.answer = lambda case: replace(finished(case), disagreements=(told,))
    app = page(engine)
    assert told.sentence in [warning.value for warning in app.warning]
    assert not app.success


def test_a_reload_shows_the_result_again_without_running(engine: FakeEngine) -> None:
    app = page(engine, **query(page(engine)))
    assert not app.sidebar.error
    assert len(engine.jobs) == 1
    assert app.success[0].value == "Gradient reaches all 5 sources."


@pytest.mark.parametrize(
    ("selected", "told"),
    [
        ("loop:map_fn/lstm", "Loop of depth 2"),
        ("source:kernel", "Variable"),
        ("slot:map_fn/lstm#2", "Loop variable"),
        ("loss", "What is differentiated"),
        ("barrier:b0", "the gradient stops here"),
        ("op:999", "the gradient stops here"),
    ],
)
def test_what_is_selected_is_explained(engine: FakeEngine, selected: str, told: str) -> None:
    app = page(engine, target="nested_while_loop", breaker="integer_cast@inner", selected=selected)
    app.session_state["selected"] = selected
    again(app.button(key="run").click().run())
    app.session_state["selected"] = selected
    again(app.run())
    assert told in shown(app)


def test_a_loop_is_folded_into_one_card(engine: FakeEngine) -> None:
    app = page(engine)
    app.session_state["selected"] = "loop:map_fn/lstm"
    again(app.run())
    again(app.button(key="fold").click().run())
    assert app.session_state["folded"] == "map_fn/lstm"
    assert app.button(key="fold").label == "Unfold"


def test_settings_outlive_a_run_that_ended_before_the_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, object] = {"dim 1": "4", "seed": 7, "detail": "nest"}
    monkeypatch.setattr(st, "session_state", state)
    view.keep(["dim 1", "seed"])
    del state["dim 1"], state["detail"]  # what Streamlit does with the values of widgets that a run did not reach
    state["seed"] = 8
    view.bring_back()
    assert (state["dim 1"], state["seed"], state["detail"]) == ("4", 8, "nest")


def in_several_ways(case: Case) -> Exploration:
    """Eagerly None, in a graph a hidden None; XLA crashes."""
    if case.way == "xla":
        return died(case, "crashed", traced=False)
    found = replace(finished(case), way=case.way or "")
    assert found.snapshot is not None
    measured = {"eager": "none", "graph": "zero"}[found.way]
    run = BackwardRun(tuple(Measurement(s.name, measured) for s in found.snapshot.sources))
    return conclude(replace(found, run=run, outcome="done"))


def test_several_ways_run_one_after_the_other_and_stand_side_by_side(engine: FakeEngine) -> None:
    engine.answer = in_several_ways
    app = page(engine, target="nested_while_loop", breaker="integer_cast@inner", way="eager,graph,xla")
    assert app.pills(key="ways").value == ["eager", "graph", "xla"]
    again(app.button(key="run").click().run())
    for _ in range(3):
        again(app.run())
    assert [case.way for case, _ in engine.jobs] == ["eager", "graph", "xla"]
    text = shown(app)
    assert "tf.function" in text
    assert "The process crashed." in text
    assert text.count("loop map_fn") == 1
    assert any("exactly zero in tf.function" in warning.value for warning in app.warning)
    assert is_drawn(app)
    assert "way eager" in "".join(caption.value for caption in app.caption)
    again(app.segmented_control(key="shown").set_value("graph").run())
    assert "way graph" in "".join(caption.value for caption in app.caption)
    assert query(app)["way"] == "eager,graph,xla"
    assert query(app)["shown"] == "graph"
    again(app.segmented_control(key="shown").set_value("xla").run())
    assert any("signal 11" in text for text in verdicts(app))


def test_a_way_waits_until_the_one_before_has_ended(engine: FakeEngine) -> None:
    engine.answer = lambda case: replace(finished(case), way=case.way or "", outcome=None)
    app = page(engine, target="nested_while_loop", way="eager,graph")
    again(app.button(key="run").click().run())
    assert [case.way for case, _ in engine.jobs] == ["eager"]
    again(app.button(key="cancel").click().run())
    again(app.run())
    assert [case.way for case, _ in engine.jobs] == ["eager"]
    assert engine.jobs[0][1].exploration.outcome == "cancelled"
    assert app.button(key="cancel").disabled


def test_the_engine_is_not_started_before_the_page_is_drawn(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[FakeEngine] = []

    def make() -> FakeEngine:
        made.append(engine)
        return engine

    monkeypatch.setattr(session, "make_engine", make)
    st.cache_resource.clear()
    app = page(engine)
    assert made == []
    assert engine.jobs == []
    again(app.button(key="run").click().run())
    assert made == [engine]
    assert len(engine.jobs) == 1


def troubled(case: Case) -> Exploration:
    """NaN from one op, known trouble at another, and every check that can be asked for."""
    found = replace(finished(case), outcome="done")
    assert found.snapshot is not None
    assert found.flow is not None
    op = next(op for op in found.snapshot.ops if op.type == "MatMul")
    where = found.snapshot.where(op.stack)
    bad = BadNumber(
        "nan", "backward", op.type, op.name, op.loop, where, "where_trap", "NaN began in the backward pass."
    )
    risk = Risk("left_tensorflow", op.id, op.type, op.loop, where, "Its backward pass raises KeyError.")
    return replace(
        found, flow=replace(found.flow, risks=(risk,)), numerics=(bad,),
        notes=("2 variables were made at model.py:3.",),
        number_checks=(NumberCheck("x", False, 0.5, 12, "x: the gradient is wrong."),),
        second_order=SecondOrder((Measurement("kernel", "finite", 2.5, 3),)),
    )  # fmt: skip


def test_risks_bad_numbers_and_checks_are_told(engine: FakeEngine) -> None:
    engine.answer = troubled
    app = page(engine, target="nested_while_loop", check_numbers="1", second_order="1")
    unfold(app)
    assert app.toggle(key="check_numbers").value
    again(app.button(key="run").click().run())
    assert engine.jobs[0][0].check_numbers
    assert engine.jobs[0][0].second_order
    said = verdicts(app)
    assert any("NaN began" in text for text in said)
    assert any("model.py" in text and "raises KeyError" in text for text in said)
    assert any("2 variables" in text for text in said)
    text = shown(app)
    assert "WRONG" in text
    assert "2.5" in text
    assert "NAN: where_trap" in text
    app.session_state["selected"] = "source:x"
    again(app.run())
    again(app.button(key="bad 0").click().run())
    assert app.session_state["selected"].startswith("op:")
    assert [error.value for error in app.error].count("NaN began in the backward pass.") == 1


def test_a_failure_is_told_with_its_hint_and_the_readers_line(engine: FakeEngine) -> None:
    def raised(case: Case) -> Exploration:
        found = died(case, "raised")
        failure = Failure("trace", "ValueError", "Shapes differ.", Location(FILE, 5), "the traceback", "Pad the rows.")
        return conclude(replace(found, failure=failure, run=None))

    engine.answer = raised
    app = page(engine)
    assert any("Shapes differ. Pad the rows." in text for text in verdicts(app))
    assert "! ValueError" in shown(app)


def test_refusals_name_fields_not_arguments(engine: FakeEngine) -> None:
    app = page(engine)
    again(app.text_input(key="size 3").set_value("9").run())
    assert "--" not in sentence(app)
    assert "run size" in sentence(app)


def test_a_remedy_is_tried_and_shown_before_and_after(engine: FakeEngine) -> None:
    app = page(engine, target="map_fn_keras_rnn", breaker="integer_cast@inner")
    again(app.button(key="run").click().run())
    again(app.button(key="remedy drop").click().run())
    again(app.run())
    assert engine.jobs[-1][0].breaker is None
    assert app.selectbox(key="breaker").value == "none"
    (folded,) = [each for each in app.expander if "Before and after" in each.label]
    assert "regained" in folded.label
    assert not folded.label.startswith("Before and after: 0 of")
    assert not [button for button in app.button if (button.key or "").startswith("remedy")]


def test_fields_that_the_browser_sends_back_all_empty_get_their_values_again(engine: FakeEngine) -> None:
    app = page(engine, target="nested_while_loop", size="x=2,2,3,10")
    for number in range(4):
        app.text_input(key=f"dim {number}").set_value("")
        app.text_input(key=f"size {number}").set_value("")
    app.selectbox(key="strategy").set_value("map_fn_keras_rnn")
    again(app.run())
    assert app.selectbox(key="strategy").value == "nested_while_loop"
    assert [app.text_input(key=f"size {number}").value for number in range(4)] == ["2", "2", "3", "10"]
    again(app.text_input(key="dim 0").set_value("").run())
    assert app.error[0].value.startswith("In x, an empty place")


def test_a_job_that_ends_while_the_page_is_drawn_is_drawn_by_the_next_look(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.answer = lambda case: replace(finished(case), outcome=None)
    app = page(engine, target="nested_while_loop")
    again(app.button(key="run").click().run())
    (_, job), choose = engine.jobs[-1], ways.choose

    def late(*arguments: Any) -> Any:
        job.exploration = replace(job.exploration, outcome="done")
        return choose(*arguments)

    monkeypatch.setattr(ways, "choose", late)
    again(app.run())
    assert not app.button(key="cancel").disabled  # the sidebar was drawn before
    assert app.session_state["drawn"].running  # so what the browser asks for next is drawn anew


def test_a_browser_that_is_late_with_the_address_loses_no_choice(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(address, "_SETTLING", 600.0)  # a machine at work may need longer than a browser is late
    app = page(engine, target="map_fn_keras_rnn")
    before = query(app)
    again(app.selectbox(key="breaker").set_value("integer_cast").run())
    for name in list(app.query_params):
        del app.query_params[name]
    for name, value in before.items():
        app.query_params[name] = value
    again(app.button(key="run").click().run())
    assert engine.jobs[-1][0].breaker == "integer_cast@inner"
