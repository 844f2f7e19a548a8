"""The tab of iterations, over a fake engine."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from explorer.layout.nest import decide
from explorer.model.case import Case
from explorer.model.verdict import Exploration
from explorer.ui.iterations import card_of, size
from tests import test_app_page, test_heat, watched_samples
from tests.test_app_page import FakeEngine, again, page, query, shown, verdicts

engine = test_app_page.engine  # the fixture


def answer(rate: float, nan: tuple[int, int] | None = None, **changes: object):
    def made(case: Case) -> Exploration:
        found = watched_samples.watched(rate, nan=nan)
        return replace(found, case=replace(case, probe=True), way="graph", stage="probe", **changes)

    return made


def seen(app: AppTest) -> list[str]:
    return [each.value for kind in (app.warning, app.success, app.info, app.error) for each in kind]


def test_a_vanishing_gradient_is_told_with_its_map_costs_and_what_is_not_seen(engine: FakeEngine) -> None:
    engine.answer = answer(0.3)
    app = page(engine)
    assert any("shrinks by a factor of 0.3 per iteration" in text for text in seen(app))
    text = shown(app)
    assert "4 KB" in text
    assert "inside a fused kernel" in text
    assert app.selectbox(key="watched Loop").value == watched_samples.INNER
    assert app.selectbox(key="watched Variable").options == ["h", "c"]


def test_another_loop_direction_and_variable_can_be_chosen(engine: FakeEngine) -> None:
    engine.answer = answer(0.3)
    app = page(engine)
    again(app.selectbox(key="watched Variable").set_value("3 -1 c").run())
    assert any("Not observed: inside a fused kernel" in text for text in seen(app))
    again(app.selectbox(key="watched Direction").set_value("forward").run())
    assert any("the value stays about as large" in text for text in seen(app))
    again(app.selectbox(key="watched Loop").set_value(watched_samples.OUTER).run())
    assert any("Each iteration has a gradient of its own" in text for text in seen(app))


def test_the_first_bad_iteration_comes_first(engine: FakeEngine) -> None:
    engine.answer = answer(0.9, nan=(1, 4))
    app = page(engine)
    assert any("NaN begins in the backward pass at iteration 4 of Keras LSTM" in text for text in verdicts(app))


@pytest.mark.parametrize(
    ("changes", "told"),
    [({"outcome": "done"}, "the run ended before"), ({"outcome": None}, "Not known yet")],
)
def test_where_nothing_is_known_it_says_why(engine: FakeEngine, changes: dict[str, object], told: str) -> None:
    engine.answer = answer(0.5, probes=(), **changes)
    app = page(engine)
    assert any(told in each.value for each in app.caption)


def test_of_three_loops_the_outermost_iteration_is_chosen_by_a_slider(engine: FakeEngine) -> None:
    deep, inner = test_heat.deep()
    engine.answer = lambda case: replace(deep, case=case, probes=(inner,))
    app = page(engine)
    slider = app.select_slider(key="watched outer")
    assert (slider.label, slider.options) == ("map_fn, line 20: iteration", ["0", "1"])
    again(slider.set_value("1").run())
    assert app.session_state["watched outer"] == "1"


def test_every_iteration_is_watched_unless_the_reader_says_no(engine: FakeEngine) -> None:
    app = page(engine)
    assert "probe" not in query(app)
    again(app.toggle(key="probe").set_value(False).run())
    again(app.button(key="run").click().run())
    asked = [case.probe for case, _ in engine.jobs]
    assert asked == [True, False]
    assert query(app)["probe"] == "0"
    assert any("switch on" in each.value for each in app.caption)
    assert not page(engine, **query(app)).toggle(key="probe").value


def test_an_op_picked_in_the_picture_is_watched_from_the_next_run_on(engine: FakeEngine) -> None:
    app = page(engine)
    op = next(op for op in watched_samples.watched().snapshot.ops if op.type == "BiasAdd")
    app.session_state["selected"] = f"op:{op.id}"
    again(app.run())
    again(app.button(key="watch").click().run())
    again(app.button(key="run").click().run())
    case = engine.jobs[-1][0]
    assert (case.probe, case.probe_ops) == (True, (op.name,))
    assert query(app)["probe_op"] == op.name


def test_a_click_leads_to_the_variable_its_op_or_its_loop() -> None:
    exploration = watched_samples.watched()
    snapshot, nest = exploration.snapshot, decide(exploration)
    state = exploration.probes[1]
    assert card_of(snapshot, nest, state) == "slot:map_fn/lstm#2"
    op = next(op for op in snapshot.ops if op.type == "BiasAdd")
    assert card_of(snapshot, nest, replace(state, slot=-1, tensor=op.outputs[0])) == f"op:{op.id}"
    assert card_of(snapshot, nest, replace(state, slot=-1)) == "loop:map_fn/lstm"


def test_bytes_are_short() -> None:
    assert [size(count) for count in (0, 512, 2048, 3 * 2**20)] == ["0 B", "512 B", "2 KB", "3 MB"]
