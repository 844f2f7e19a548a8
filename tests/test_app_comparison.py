"""The page that compares strategies, over a fake engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from explorer.layout.place import place_fast
from explorer.model.case import Case
from explorer.model.verdict import Exploration
from explorer.ui import comparison, picture, session
from tests.exploration_samples import nested_lstm
from tests.test_compare import Fake, healthy

APP = Path(__file__).resolve().parent.parent / "app.py"


class Engine(Fake):
    """Ready at once; the thread of the comparison is waited for, so that the page finds it finished."""

    ready = True

    def close(self) -> None: ...


def drawn(case: Case) -> Exploration:
    found = healthy(case)
    sample = nested_lstm()
    return (
        found if case.speed_only else Exploration(**{**vars(found), "snapshot": sample.snapshot, "flow": sample.flow})
    )


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    fake = Engine(drawn)
    monkeypatch.setattr(session, "make_engine", lambda: fake)
    monkeypatch.setattr(picture, "place_in_child", place_fast)
    picture.scene_of.cache_clear()
    st.cache_resource.clear()
    session.engine()
    yield fake
    st.cache_resource.clear()


def finish() -> None:
    """Wait for the threads that compare."""
    for thread in threading.enumerate():
        if getattr(thread, "_target", None) is not None and "Contest" in getattr(thread._target, "__qualname__", ""):
            thread.join(60)


def page(**asked: str) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["page"] = "compare"
    app.query_params["target"] = "nested_while_loop"
    for name, value in asked.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click()
    app.run()
    finish()
    app.run()
    assert not app.exception, app.exception
    return app


def test_the_page_compares_the_usual_strategies(engine: Engine) -> None:
    app = press(page(), "Compare")
    (table,) = app.dataframe
    assert len(table.value) == len(comparison.USUAL)
    assert list(table.value["reference"]).count("is it") == 1
    assert any("a step with gradients takes" in told.value for told in app.success)


def test_all_are_compared_and_what_refuses_is_told(engine: Engine) -> None:
    app = press(page(option="lengths=ragged"), "Compare all")
    assert len(app.dataframe[0].value) >= 20
    refused = [told.value for told in app.caption if "(refused)" in told.value]
    assert 0 < len(refused) < 20  # those that know no lengths


def test_nothing_runs_before_it_is_asked_for(engine: Engine) -> None:
    app = page()
    assert engine.cases == []
    assert not app.dataframe
    assert "Press **Compare**" in app.info[0].value


def test_a_sweep_that_makes_no_sense_is_one_sentence(engine: Engine) -> None:
    app = page()
    app.selectbox(key="sweep").set_value("time")
    app.run()
    app.text_input(key="sweep sizes").set_value("2, x")
    next(button for button in app.button if button.label == "Compare").click()
    app.run()
    assert [told.value for told in app.error] == ["Cannot time at the sizes '2, x': write whole numbers, as in 2,8,32."]
    assert engine.cases == []


def test_a_sweep_is_run_for_every_size(engine: Engine) -> None:
    app = page()
    app.selectbox(key="sweep").set_value("time")
    app.run()
    press(app, "Compare")
    sizes = {(case.inputs[0].size or ())[2] for case in engine.cases if case.speed_only}
    assert sizes >= {2, 8, 32}


def test_the_shapes_and_options_are_those_of_the_sidebar(engine: Engine) -> None:
    app = page()
    app.selectbox(key="option cell").set_value("GRU")
    app.text_input(key="size 0").set_value("2")
    app.run()
    press(app, "Compare")
    assert {dict(case.options)["cell"] for case in engine.cases} == {"GRU"}
    assert {(case.inputs[0].size or ())[0] for case in engine.cases} == {2}
