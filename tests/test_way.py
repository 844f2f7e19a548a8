"""Why is this None: which part of the picture answers, that it is painted, and that nothing moves."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from explorer.export.svg import svg
from explorer.figure.plot import TARGETS, figure
from explorer.layout.lit import split
from explorer.layout.nest import decide
from explorer.layout.place import place, place_fast
from explorer.layout.way import key, way
from explorer.model.verdict import Exploration
from tests import exploration_samples as samples


def told(exploration: Exploration) -> Exploration:
    """With the barriers named beside each source that they cut off."""
    assert exploration.flow is not None
    barriers = tuple(barrier.id for barrier in exploration.flow.barriers)
    rows = tuple(
        replace(row, barriers=barriers) if row.predicted == "none-blocked" else row
        for row in exploration.flow.predictions
    )
    return replace(exploration, flow=replace(exploration.flow, predictions=rows))


LSTM = told(samples.nested_lstm("integer_cast"))
NEST = decide(LSTM)


def test_a_cut_source_has_its_way_over_the_barrier_to_the_loss() -> None:
    found = way(NEST, "source:x", LSTM.flow)
    assert found is not None
    cut = next(link for link in NEST.links if link.barrier)
    assert key(cut) in found.links
    assert {"source:x", "loss", cut.start, cut.end} <= found.cards
    assert found.barriers == {cut.barrier}
    assert found.boxes == {"map_fn", "map_fn/lstm"}
    assert len(found.links) < len(NEST.links)
    for start, end, _ in found.links:
        assert {start, end} <= found.cards


@pytest.mark.parametrize("name", ["nested_lstm", "unrolled", "frame_loop", "branches", "condition_only", "assigned"])
def test_every_link_on_a_way_can_be_walked_from_the_source(name: str) -> None:
    exploration = told(getattr(samples, name)())
    nest = decide(exploration)
    for card in nest.cards:
        if card.kind != "source":
            continue
        found = way(nest, card.id, exploration.flow)
        assert found is not None
        seen, waiting = {card.id}, [card.id]
        while waiting:
            at = waiting.pop()
            fresh = {end for start, end, _ in found.links if start == at} - seen
            seen |= fresh
            waiting += fresh
        assert {start for start, _, _ in found.links} <= seen, card.id
        if card.status == "flows":
            statuses = {link.status for link in nest.links if key(link) in found.links}
            assert statuses == {"flows"}
            assert "loss" in found.cards


def test_a_barrier_has_the_ways_of_all_sources_it_cuts_off() -> None:
    found = way(NEST, "barrier:b0", LSTM.flow)
    assert found is not None
    assert LSTM.flow is not None
    assert {f"source:{row.source}" for row in LSTM.flow.predictions if row.barriers} <= found.cards
    assert "loss" in found.cards


def test_what_is_neither_source_nor_barrier_has_none() -> None:
    for identity in ("", "loss", "op:3", "source:nobody", "barrier:nobody", "loop:map_fn"):
        assert way(NEST, identity, LSTM.flow) is None


def test_a_way_splits_the_scene_and_moves_nothing() -> None:
    scene, found = place(NEST), way(NEST, "source:x", LSTM.flow)
    aside, lit = split(scene, found)
    assert aside.cards
    assert lit.cards
    assert sorted(map(str, aside.cards + lit.cards)) == sorted(map(str, scene.cards))
    assert sorted(map(str, aside.edges + lit.edges)) == sorted(map(str, scene.edges))
    assert split(scene, None)[1] == scene
    (plain,) = (trace for trace in figure(scene).data if trace.name == TARGETS)
    (dim,) = (trace for trace in figure(scene, way=found).data if trace.name == TARGETS)
    assert (list(plain.x), list(plain.y), plain.ids) == (list(dim.x), list(dim.y), dim.ids)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_both_painters_dim_what_is_aside(theme) -> None:
    scene, found = place_fast(NEST), way(NEST, "source:x", LSTM.flow)
    plain, dim = svg(scene, theme), svg(scene, theme, way=found)
    assert svg(scene, theme, way=found) == dim
    assert sorted(re.findall(r'data-id="[^"]*"', plain)) == sorted(re.findall(r'data-id="[^"]*"', dim))

    def colour(text: str, card: str) -> str:
        return re.search(rf'data-id="{card}".*?<text[^>]* fill="(#\w+)"', text)[1]  # type: ignore[index]

    unlit = next(card.id for card in scene.cards if card.id not in found.cards)
    assert colour(dim, "loss") == colour(plain, "loss")
    assert colour(dim, unlit) != colour(plain, unlit)
    assert len(figure(scene, theme, way=found).layout.shapes) == len(scene.boxes)
