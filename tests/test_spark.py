"""The small line in a loop's header."""

from __future__ import annotations

from dataclasses import replace

import pytest

from explorer.export.svg import svg
from explorer.figure.plot import figure
from explorer.layout.metrics import width
from explorer.layout.nest import decide
from explorer.layout.place import place
from explorer.layout.sizes import HEADER
from explorer.layout.text import text
from explorer.layout.values import Scene
from tests.watched_samples import INNER, watched


@pytest.fixture(scope="module")
def scene() -> Scene:
    return place(decide(watched(0.3)))


def test_it_lies_in_its_header_clear_of_the_words(scene: Scene) -> None:
    drawn = [box for box in scene.boxes if box.spark]
    assert drawn
    for box in drawn:
        places = [point for line in box.spark for point in line]
        words = box.x + 29 + width(box.title, HEADER, True) + 8 + width(box.subtitle, HEADER - 1)
        end = box.x + box.w - (30 + width(box.note, HEADER - 1, True) if box.note else 14)
        assert all(words < x < end and box.y < y < box.y + 26 for x, y in places)


def test_it_falls_where_the_gradient_shrinks_going_back_and_is_level_where_it_does_not(scene: Scene) -> None:
    def line(found: Scene) -> tuple[tuple[float, float], ...]:
        (way,) = next(box for box in found.boxes if box.id == INNER).spark
        return way

    heights = [y for _, y in line(scene)]
    assert heights == sorted(heights, reverse=True)  # y grows downwards
    assert heights[0] - heights[-1] > 10
    level = [y for _, y in line(place(decide(watched(1.01))))]
    assert max(level) - min(level) < 2


def test_a_gap_where_there_is_no_number() -> None:
    box = next(box for box in decide(watched(nan=None)).boxes if box.id == INNER)
    assert len(box.spark) == 7
    bad = watched()
    runs = tuple(replace(run, norms=(0.0, *run.norms[1:])) for run in bad.probes[1].runs)
    bad = replace(bad, probes=(replace(bad.probes[1], runs=runs),))
    box = next(box for box in decide(bad).boxes if box.id == INNER)
    assert box.spark[0] is None


def test_nothing_moves_for_it(scene: Scene) -> None:
    without = place(decide(replace(watched(0.3), probes=())))
    assert [replace(box, spark=(), hint="") for box in scene.boxes] == [replace(box, hint="") for box in without.boxes]
    assert (scene.cards, scene.edges) == (without.cards, without.edges)


def test_figure_and_file_draw_it_and_the_text_says_it(scene: Scene) -> None:
    assert f"spark:{INNER}" in [trace.name for trace in figure(scene).data]
    assert len(svg(scene)) > len(svg(replace(scene, boxes=tuple(replace(box, spark=()) for box in scene.boxes))))
    assert "loop Keras LSTM · 7 iterations · model.py:12 · gradient × 0.3 per iteration" in text(decide(watched(0.3)))
