"""Placed pictures: nothing overlaps, nothing sticks out, nothing is cut, whichever engine placed them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings

from explorer.layout.geometry import arrow, round_corners, to_border
from explorer.layout.metrics import ELLIPSIS, elide, width, wrap
from explorer.layout.nest import decide
from explorer.layout.place import place, place_fast
from explorer.layout.values import Card, Link, Nest, Scene
from explorer.layout.worker import Worker, place_in_child
from tests import exploration_samples as samples
from tests.layout_geometry import faults, nests
from tests.test_layout_nest import SAMPLES, decided

ENGINES = pytest.mark.parametrize("placing", [place, place_fast])
Placing = Callable[[Nest], Scene]


@ENGINES
@pytest.mark.parametrize("name", SAMPLES)
def test_samples_keep_the_rules(placing: Placing, name: str) -> None:
    nest = decided(name)
    scene = placing(nest)
    assert faults(nest, scene) == []
    assert len(scene.cards) == len(nest.cards)
    assert len(scene.edges) == len(nest.links)


@settings(max_examples=100)
@given(nests())
def test_random_nests_keep_the_rules_with_dot(nest: Nest) -> None:
    assert faults(nest, place(nest)) == []


@settings(max_examples=100)
@given(nests())
def test_random_nests_keep_the_rules_with_the_fast_layout(nest: Nest) -> None:
    assert faults(nest, place_fast(nest)) == []


@ENGINES
def test_same_nest_same_bytes(placing: Placing) -> None:
    nest = decide(samples.nested_lstm("integer_cast"))
    assert msgspec.msgpack.encode(placing(nest)) == msgspec.msgpack.encode(placing(nest))


@ENGINES
def test_loop_variables_stand_above_the_body_and_their_next_values_below(placing: Placing) -> None:
    scene = placing(decided("lstm"))
    for loop in ("map_fn", "map_fn/lstm"):
        cards = [card for card in scene.cards if card.loop == loop]
        tops = [card.y for card in cards if card.kind == "slot"]
        ends = [card.y for card in cards if card.kind == "next"]
        body = [card.y for card in cards if card.kind in ("op", "run")]
        assert tops
        assert max(tops) <= min(body)
        assert min(ends) >= max(body)


def test_carried_tracks_stay_inside_their_box() -> None:
    scene = place(decided("lstm"))
    boxes = {box.id: box for box in scene.boxes}
    carried = [edge for edge in scene.edges if edge.carried]
    assert len(carried) == 3
    for edge in carried:
        box = boxes[edge.carried]
        assert all(box.x < x < box.x + box.w and box.y < y < box.y + box.h for x, y in edge.points)


def _cross(one: np.ndarray, other: np.ndarray) -> float:
    return float(abs(one[0] * other[1] - one[1] * other[0]))


def test_a_barrier_has_its_sign_on_its_edge() -> None:
    scene = place(decided("lstm_stop_gradient"))
    (mark,) = scene.marks
    edge = next(edge for edge in scene.edges if edge.barrier == mark.id)
    way = np.array(edge.points)
    aside = [_cross(b - a, [mark.x, mark.y] - a) / np.hypot(*(b - a)) for a, b in pairwise(way) if (a != b).any()]
    assert min(aside) < 1
    assert np.hypot(*(way[-1] - [mark.x, mark.y])) < 25
    assert "stop gradient" in mark.hint


def test_child_process_places_the_same() -> None:
    nest = decide(samples.frame_loop())
    assert place_in_child(nest, timeout=60) == place(nest)


def test_the_child_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert place_in_child(decide(samples.branches()), timeout=60).engine == "dot"


def test_one_child_places_many_nests() -> None:
    worker = Worker()
    try:
        for name in SAMPLES:
            assert worker.place(decided(name), timeout=60) == place(decided(name))
    finally:
        worker.close()


@pytest.mark.parametrize(
    ("script", "timeout"),
    [
        ("import sys; sys.stdin.read()", 0.5),
        ("raise SystemExit(1)", 60.0),
        ("import sys; sys.stdout.write('no scene at all')", 60.0),
    ],
    ids=["hangs", "ends", "answers nonsense"],
)
def test_a_child_that_does_not_answer_is_replaced_by_the_fast_layout(script: str, timeout: float) -> None:
    worker, nest = Worker((sys.executable, "-c", script)), decide(samples.frame_loop())
    try:
        for _ in range(2):
            scene = worker.place(nest, timeout)
            assert scene.engine == "fast"
            assert len(scene.cards) == len(nest.cards)
    finally:
        worker.close()


def test_a_child_that_cannot_be_started_is_replaced_by_the_fast_layout(tmp_path: Path) -> None:
    assert Worker((str(tmp_path / "no such program"),)).place(decide(samples.frame_loop())).engine == "fast"


def test_nothing_moves_when_the_gradient_is_measured_and_the_loops_are_counted() -> None:
    found = samples.nested_lstm()
    before = place(decide(replace(found, trips={}, conclusions=())))
    unobserved = tuple(replace(row, status="unobserved") for row in found.conclusions)
    between = place(decide(replace(found, trips={}, conclusions=unobserved)))
    after = place(decide(found))
    places = [[(card.id, card.x, card.y, card.w) for card in scene.cards] for scene in (before, between, after)]
    assert places[0] == places[1] == places[2]
    assert [edge.points for edge in before.edges] == [edge.points for edge in after.edges]
    assert [box.subtitle for box in before.boxes] != [box.subtitle for box in after.boxes]
    assert {card.status for card in between.cards} != {card.status for card in after.cards}


def test_very_large_pictures_are_placed_fast() -> None:
    cards = tuple(Card(f"op:{n}", "op", "", ("AddV2", f"line {n}"), "flows", "") for n in range(5000))
    links = tuple(Link(f"op:{n // 3}", f"op:{n}", "flows") for n in range(1, 5000))
    nest = Nest((), cards, links, ())
    scene = place_in_child(nest)
    assert scene.engine == "fast"
    rows: dict[float, list[tuple[float, float]]] = {}
    for card in scene.cards:
        rows.setdefault(card.y, []).append((card.x, card.x + card.w))
    for row in rows.values():
        row.sort()
        assert all(before[1] <= after[0] for before, after in pairwise(row))


def test_an_empty_nest_is_an_empty_scene() -> None:
    empty = Nest((), (), (), ())
    assert place_in_child(empty).cards == place(empty).cards == ()


def test_layout_needs_no_tensorflow_and_no_drawing_library() -> None:
    script = (
        "import sys; import explorer.layout.worker, explorer.layout.nest, explorer.layout.text;"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'tensorflow', 'plotly', 'streamlit'}))"
    )
    here = Path(__file__).resolve().parent.parent
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=here)
    assert answer.stdout.strip() == "[]"


@pytest.mark.parametrize("room", [5, 20, 60, 100, 300])
def test_a_text_is_cut_to_its_room_and_keeps_both_ends(room: float) -> None:
    text = "encoder/bidirectional/lstm_cell/recurrent_kernel"
    short = elide(text, 10, room)
    assert short == ELLIPSIS or width(short, 10) <= room
    if len(short) > 6 and short != text:
        assert text.startswith(short.split(ELLIPSIS)[0])
        assert text.endswith(short.split(ELLIPSIS)[1])


def test_a_sentence_is_broken_into_lines_and_loses_no_word() -> None:
    sentence = "Gradient reaches 1 of 5 sources; kernel is cut at Cast, model.py:17"
    rows = wrap(sentence, 13, 200)
    assert len(rows) > 1
    assert " ".join(rows) == sentence
    assert all(width(row, 13) <= 200 for row in rows)


def test_an_arrow_head_ends_at_the_tip_and_the_line_before_it() -> None:
    head, way = arrow(((0.0, 0.0), (0.0, 50.0)))
    assert head[0].tolist() == [0.0, 50.0]
    assert way[-1][1] < 50
    assert head[:, 1].min() == pytest.approx(41.0)


def test_rounded_corners_keep_the_ends() -> None:
    way = round_corners([(0, 0), (10, 0), (10, 10)], 4)
    assert way[0].tolist() == [0, 0]
    assert way[-1].tolist() == [10, 10]
    assert not any((point == [10, 0]).all() for point in way)


def test_a_route_reaches_the_card_in_its_own_direction() -> None:
    way = to_border(np.array([[50.0, 0.0], [50.0, 20.0]]), (30.0, 24.0, 40.0, 20.0))
    assert way[-1].tolist() == [50.0, 24.0]
