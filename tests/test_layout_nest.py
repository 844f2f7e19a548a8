"""What the picture shows, compared as text; the twins lie in tests/goldens.

``RENEW_GOLDENS=1 python -m pytest tests/test_layout_nest.py`` writes them anew: read the difference before you keep it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.layout.nest import BUDGET, decide
from explorer.layout.text import text
from explorer.layout.values import Card, Nest
from explorer.model.verdict import Exploration
from tests import exploration_samples as samples

GOLDENS = Path(__file__).parent / "goldens"
SAMPLES: dict[str, tuple[Exploration, dict[str, object]]] = {
    "lstm": (samples.nested_lstm(), {}),
    "lstm_stop_gradient": (samples.nested_lstm("stop_gradient"), {}),
    "lstm_integer_cast": (samples.nested_lstm("integer_cast"), {}),
    "lstm_not_predicted": (samples.nested_lstm(predicted=False), {}),
    "lstm_nest": (samples.nested_lstm("integer_cast"), {"detail": "nest"}),
    "lstm_folded": (samples.nested_lstm("integer_cast"), {"folded": frozenset({"map_fn/lstm"})}),
    "unrolled": (samples.unrolled(), {}),
    "unrolled_round": (samples.unrolled(cut=True), {}),
    "frames": (samples.frame_loop(), {}),
    "branches": (samples.branches(), {}),
    "condition_only": (samples.condition_only(), {}),
    "assigned": (samples.assigned(), {}),
}


def decided(name: str) -> Nest:
    exploration, how = SAMPLES[name]
    return decide(exploration, **how)


@pytest.mark.parametrize("name", SAMPLES)
def test_text_twin(name: str) -> None:
    golden = GOLDENS / f"{name}.txt"
    written = text(decided(name))
    if os.environ.get("RENEW_GOLDENS"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(written, encoding="utf-8")
    assert written == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SAMPLES)
def test_every_link_joins_two_cards_and_every_card_stands_in_a_shown_box(name: str) -> None:
    nest = decided(name)
    ids = {card.id for card in nest.cards}
    assert len(ids) == len(nest.cards)
    assert {link.start for link in nest.links} | {link.end for link in nest.links} <= ids
    assert {card.loop for card in nest.cards} <= {"", *(box.id for box in nest.boxes)}


@pytest.mark.parametrize("name", SAMPLES)
def test_no_barrier_is_ever_hidden(name: str) -> None:
    exploration, how = SAMPLES[name]
    if how.get("folded"):
        pytest.skip("a folded loop counts its barriers in words")
    assert exploration.flow is not None or name == "lstm_not_predicted"
    barriers = {barrier.id for barrier in exploration.flow.barriers} if exploration.flow else set()
    nest = decided(name)
    assert {link.barrier for link in nest.links if link.barrier} == barriers
    assert {link.status for link in nest.links if link.barrier} <= {"blocked"}


def test_every_source_is_a_card_with_its_conclusion() -> None:
    exploration = samples.nested_lstm("integer_cast")
    cards = {card.id: card.status for card in decide(exploration).cards}
    for conclusion in exploration.conclusions:
        assert cards[f"source:{conclusion.source}"] == conclusion.status
    assert {"none-blocked", "flows"} <= set(cards.values())


def reached(nest: Nest, start: str, flowing: bool) -> set[str]:
    """The cards at the end of links from here, of links that flow or of any."""
    seen, waiting = {start}, [start]
    while waiting:
        card = waiting.pop()
        for link in nest.links:
            if link.start == card and link.end not in seen and (not flowing or link.status == "flows"):
                seen.add(link.end)
                waiting.append(link.end)
    return seen


@pytest.mark.parametrize("detail", ["loop", "nest"])
@pytest.mark.parametrize("name", [name for name, (_, how) in SAMPLES.items() if not how])
def test_the_picture_says_what_the_prediction_says(name: str, detail: str) -> None:
    """Following the drawn links from a source to the loss gives its prediction back: folding must not lie."""
    exploration = SAMPLES[name][0]
    nest = decide(exploration, detail)
    for row in exploration.flow.predictions if exploration.flow else ():
        by_flow, by_any = ("loss" in reached(nest, f"source:{row.source}", flowing) for flowing in (True, False))
        expected = {"flows": (True, True), "none-blocked": (False, True), "none-disconnected": (False, False)}
        if row.predicted in expected and not _cut_off(exploration, row.source):
            assert (by_flow, by_any) == expected[row.predicted], row.source


def _cut_off(exploration: Exploration, source: str) -> bool:
    """A source that only decides how long a loop runs has a barrier of its own and no way on from there."""
    row = next(row for row in exploration.flow.predictions if row.source == source) if exploration.flow else None
    causes = {barrier.cause for barrier in exploration.flow.barriers} if exploration.flow else set()
    return row is not None and row.predicted == "none-blocked" and causes == {"condition_only"}


def test_a_source_without_conclusion_falls_back_to_the_prediction() -> None:
    exploration = replace(samples.nested_lstm("integer_cast"), conclusions=())
    statuses = {card.id: card.status for card in decide(exploration).cards if card.kind == "source"}
    assert statuses["source:x"] == "none-blocked"
    unpredicted = {card.status for card in decide(samples.nested_lstm(predicted=False)).cards if card.kind == "source"}
    assert unpredicted == {"unknown"}


def test_a_never_read_source_is_still_shown() -> None:
    exploration = samples.branches()
    assert exploration.snapshot is not None
    lost = replace(exploration.snapshot.sources[1], name="lost", tensor=-1)
    snapshot = replace(exploration.snapshot, sources=(*exploration.snapshot.sources, lost))
    assert "source:lost" in {card.id for card in decide(replace(exploration, snapshot=snapshot)).cards}


def test_without_a_snapshot_there_is_nothing_to_draw() -> None:
    nest = decide(replace(samples.branches(), snapshot=None))
    assert nest == Nest((), (), (), ())
    assert text(nest) == "nothing to draw\n"


def test_a_crowded_body_is_folded_and_a_small_one_is_not() -> None:
    def body(name: str) -> list[Card]:
        return [card for card in decided(name).cards if card.kind == "run"]

    assert [len(card.ops) for card in body("lstm")] == [9]
    assert body("unrolled") == []
    ops = [card for card in decided("lstm").cards if card.loop == "map_fn/lstm" and card.kind in ("op", "run")]
    assert len(ops) <= BUDGET


def test_one_iteration_of_an_unrolled_loop_stands_for_all() -> None:
    shapes = {
        (outer, inner): [(card.kind, card.loop, card.lines[0]) for card in decide(samples.unrolled(outer, inner)).cards]
        for outer, inner in ((3, 4), (2, 9))
    }
    assert shapes[3, 4] == shapes[2, 9]


def test_folding_never_makes_a_circle() -> None:
    for name in SAMPLES:
        nest = decided(name)
        if any(card.kind == "loop" for card in nest.cards):
            continue
        waiting = {card.id: 0 for card in nest.cards}
        for link in nest.links:
            if not link.carried:
                waiting[link.end] += 1
        ready, done = [card for card, count in waiting.items() if not count], 0
        while ready:
            card = ready.pop()
            done += 1
            for link in nest.links:
                if link.start == card and not link.carried:
                    waiting[link.end] -= 1
                    if not waiting[link.end]:
                        ready.append(link.end)
        assert done == len(nest.cards), name


def test_status_changes_exactly_at_the_barrier() -> None:
    nest = decided("lstm_integer_cast")
    cut = next(link for link in nest.links if link.barrier)
    assert cut.status == "blocked"
    by_end: dict[str, list[str]] = {}
    for link in nest.links:
        by_end.setdefault(link.start, []).append(link.status)
    assert "flows" not in by_end[cut.start]
    assert by_end[cut.end] == ["nondiff"]  # the integers between the two casts
    assert {link.status for link in nest.links if link.end == "loss"} == {"flows"}
