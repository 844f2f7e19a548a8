"""The comparison as a picture."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from explorer.export.png import png
from explorer.export.poster import poster, scenes_of
from explorer.layout.place import place_fast
from explorer.model.comparison import Comparison, Trial
from explorer.rules.compare import row_of
from tests.exploration_samples import nested_lstm
from tests.explorations import died
from tests.test_compare import compared


def drawn(count: int = 3) -> Comparison:
    found, _ = compared()
    rows = [replace(row, explored=nested_lstm()) for row in found.rows]
    failed = row_of(
        Trial("scan", explored=died(traced=False)), "A loop that fails", "TF2 graph", "graph", None, True, "float32"
    )
    return replace(found, rows=(*rows, failed)[:count] if count < 4 else (*rows, failed))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("count", [1, 3, 4])
def test_the_poster_is_well_formed_and_shows_every_strategy(theme: str, count: int) -> None:
    comparison = drawn(count)
    text = poster(comparison, scenes_of(comparison, place_fast), theme)
    root = ElementTree.fromstring(text)
    words = "".join(root.itertext())
    for row in comparison.rows:
        assert row.title in words
    assert "ms a step" in words
    if count == 4:
        assert "signal 11" in words
    assert png(text)[:4] == b"\x89PNG"


def test_a_picture_stays_within_its_cell() -> None:
    comparison = drawn(1)
    (scene,) = scenes_of(comparison, place_fast).values()
    text = poster(comparison, {comparison.rows[0].strategy: scene})
    factor = float(text.split("scale(")[1].split(")")[0])
    assert factor * scene.width <= 276.5
    assert factor * scene.height <= 150.5


def test_nothing_to_show_is_a_picture_too() -> None:
    empty = Comparison((), "", "", "No strategy can be recommended.", 0, 0)
    assert "No strategy" in "".join(ElementTree.fromstring(poster(empty, {})).itertext())
