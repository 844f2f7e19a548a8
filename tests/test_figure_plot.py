"""The plotly figure: what can be clicked, how few traces there are, what follows the zoom."""

from __future__ import annotations

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from explorer.figure.plot import TARGETS, figure
from explorer.layout.nest import decide
from explorer.layout.place import place, place_fast
from explorer.layout.values import Card, Link, Nest, Scene
from tests import exploration_samples as samples
from tests.test_layout_nest import SAMPLES, decided


@pytest.fixture(scope="module")
def scene() -> Scene:
    return place(decide(samples.nested_lstm("integer_cast")))


def targets(drawing: go.Figure) -> go.Scatter:
    (trace,) = [trace for trace in drawing.data if trace.name == TARGETS]
    return trace


@pytest.mark.parametrize("name", SAMPLES)
def test_cards_loops_and_barriers_can_be_clicked(name: str) -> None:
    scene = place(decided(name))
    trace = targets(figure(scene))
    expected = [card.id for card in scene.cards] + [f"loop:{box.id}" for box in scene.boxes]
    expected += [f"barrier:{mark.id}" for mark in scene.marks]
    assert list(trace.ids) == list(trace.customdata) == expected
    assert len(set(expected)) == len(expected)
    cards = {card.id: card for card in scene.cards}
    for identity, x, y in zip(trace.ids, trace.x, trace.y, strict=True):
        if identity in cards:
            card = cards[identity]
            assert card.x < x < card.x + card.w
            assert card.y < y < card.y + card.h


def test_a_thousand_ops_need_no_more_traces_than_ten() -> None:
    def traces(count: int) -> int:
        cards = tuple(Card(f"op:{n}", "op", "", ("AddV2", "x"), "flows", "") for n in range(count))
        links = tuple(Link(f"op:{n - 1}", f"op:{n}", "flows") for n in range(1, count))
        return len(figure(place_fast(Nest((), cards, links, ()))).data)

    assert traces(1000) == traces(10)


def test_coordinates_are_arrays_and_texts_follow_the_zoom(scene: Scene) -> None:
    drawing = figure(scene)
    for trace in drawing.data:
        if trace.showlegend:
            continue
        assert isinstance(trace.x, np.ndarray)
        if trace.mode == "text":
            assert trace.meta["text"] == trace.textfont.size
        if trace.mode == "lines":
            assert trace.meta["line"] == trace.line.width


def test_loops_lie_below_as_shapes_and_unrolled_ones_are_dashed() -> None:
    drawing = figure(place(decide(samples.unrolled())))
    assert [shape.name for shape in drawing.layout.shapes] == ["loop:for", "loop:for/for"]
    assert {shape.layer for shape in drawing.layout.shapes} == {"below"}
    assert {shape.line.dash for shape in drawing.layout.shapes} == {"7px,4px"}


def test_a_selection_adds_to_the_picture_and_moves_nothing(scene: Scene) -> None:
    plain, chosen = figure(scene), figure(scene, selected="barrier:b0")
    assert len(chosen.data) == len(plain.data) + 2  # the ring and the halo on its edge
    assert chosen.layout.xaxis.range == plain.layout.xaxis.range
    assert list(targets(chosen).ids) == list(targets(plain).ids)
    assert figure(scene, selected="op:nobody").to_json() == plain.to_json()


def test_y_grows_downwards_and_both_axes_share_a_scale(scene: Scene) -> None:
    layout = figure(scene).layout
    assert layout.yaxis.range == (scene.height, 0)
    assert layout.yaxis.scaleanchor == "x"


def test_themes_differ_in_colour_only(scene: Scene) -> None:
    light, dark = figure(scene, "light"), figure(scene, "dark")
    assert light.layout.paper_bgcolor != dark.layout.paper_bgcolor
    assert len(light.data) == len(dark.data)
    assert list(targets(light).x) == list(targets(dark).x)


def test_the_same_scene_gives_the_same_json(scene: Scene) -> None:
    first = figure(scene).to_json()
    assert first == figure(scene).to_json()
    assert json.loads(first)["data"]


def test_words_are_escaped() -> None:
    card = Card("op:0", "op", "", ("<b>", "a & b"), "flows", "<i>hint</i>")
    drawing = figure(place_fast(Nest((), (card,), (), ())))
    texts = [text for trace in drawing.data if trace.mode == "text" for text in trace.text]
    assert texts == ["<b>&lt;b&gt;</b>", "a &amp; b"]
    assert targets(drawing).text == ("&lt;i&gt;hint&lt;/i&gt;",)


def test_an_empty_scene_is_an_empty_figure() -> None:
    assert len(targets(figure(place(Nest((), (), (), ())))).ids) == 0
