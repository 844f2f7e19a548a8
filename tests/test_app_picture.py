"""What one does with the picture, by AppTest: search, the next barrier, why a source has no gradient, overlays."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from explorer.layout.finding import Found
from explorer.layout.nest import decide
from explorer.layout.place import place_fast
from explorer.layout.stepping import above, after, spot
from explorer.ui import tools
from tests.exploration_samples import nested_lstm
from tests.test_app_page import FakeEngine, engine, page  # noqa: F401  (a fixture)

CUT = "integer_cast@inner"


@pytest.fixture
def app(engine: FakeEngine) -> AppTest:  # noqa: F811
    shown = page(engine, target="map_fn_keras_rnn", breaker=CUT)
    shown.button(key="run").click().run()
    return shown.run()


def test_the_next_barrier_is_selected_and_its_path_lit(app: AppTest) -> None:
    app.button(key="to next barrier").click().run()
    assert app.session_state["selected"] == app.session_state["why"] == "barrier:b0"
    assert any("Lit: the path cut here" in caption.value for caption in app.caption)
    app.button(key="why it is so").click().run()
    assert app.session_state["why"] == ""
    assert not any("Lit:" in caption.value for caption in app.caption)


def test_a_source_tells_why_it_has_none(app: AppTest) -> None:
    app.session_state["selected"] = "source:x"
    app.run()
    assert app.button(key="why it is so").label == "Why is this None?"
    app.button(key="why it is so").click().run()
    assert app.session_state["why"] == "source:x"
    assert app.button(key="why it is so").label == "Show everything again"


def test_a_search_counts_and_steps_through_what_it_finds(app: AppTest) -> None:
    app.text_input(key="find").set_value("MatMul").run()
    assert any("found" in caption.value for caption in app.caption)
    app.button(key="Next match").click().run()
    first = app.session_state["selected"]
    app.button(key="Next match").click().run()
    assert app.session_state["selected"] != first
    app.button(key="Previous match").click().run()
    assert app.session_state["selected"] == first
    app.text_input(key="find").set_value("no such op").run()
    assert any("nothing found" in caption.value for caption in app.caption)
    assert app.button(key="Next match").disabled


@pytest.mark.parametrize("overlay", ["norm", "type"])
def test_an_overlay_is_in_the_address(app: AppTest, overlay: str) -> None:
    app.session_state["overlay"] = overlay
    app.run()
    assert not app.exception
    assert app.query_params["overlay"] in (overlay, [overlay])


def test_steps_go_round() -> None:
    assert after([], "a") == ""
    assert after(["a", "b"], "") == "a"
    assert after(["a", "b"], "", -1) == "b"
    assert [after(["a", "b"], each) for each in "ab"] == ["b", "a"]


def test_the_level_above_is_the_loop_around() -> None:
    nest = decide(nested_lstm("integer_cast"))
    assert above(nest, "barrier:b0") == "loop:map_fn/lstm"
    assert above(nest, "loop:map_fn/lstm") == "loop:map_fn"
    assert above(nest, "loop:map_fn") == above(nest, "source:x") == above(nest, "") == ""


def test_a_barrier_folded_away_is_looked_for_at_its_loop() -> None:
    exploration = nested_lstm("integer_cast")
    open_scene = place_fast(decide(exploration))
    closed = place_fast(decide(exploration, "loop", frozenset({"map_fn"})))
    (mark,) = open_scene.marks
    assert spot(open_scene, "barrier:b0", exploration.flow) == (mark.x, mark.y)
    card = next(card for card in closed.cards if card.id == "loop:map_fn")
    assert spot(closed, "barrier:b0", exploration.flow) == (card.x + card.w / 2, card.y + card.h / 2)
    assert spot(closed, "op:nobody", exploration.flow) is None


def test_what_is_folded_away_is_said() -> None:
    found = Found(("op:1", "run:2"), (("9 element-wise ops", 3),), 4)
    assert tools.told(found, "run:2") == "2 of 2, 3 folded away in “9 element-wise ops”, 4 folded away as plumbing"
    assert tools.told(Found(), "") == "nothing found"
    assert tools.told(Found(plumbing=2), "") == "nothing shown, 2 folded away as plumbing"
