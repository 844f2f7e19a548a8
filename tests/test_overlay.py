"""Overlays say other things on the same picture: every place, size and edge stays what it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from explorer.export.svg import svg
from explorer.figure.plot import figure
from explorer.layout.metrics import width
from explorer.layout.nest import decide
from explorer.layout.overlay import Overlay, norms, overlaid
from explorer.layout.place import place
from explorer.layout.sizes import fonts
from explorer.model.probes import Probe, ProbeRun
from explorer.model.verdict import BackwardRun, Exploration, Measurement
from explorer.rules.palette import heat
from tests import exploration_samples as samples
from tests.test_layout_nest import SAMPLES


def measured() -> Exploration:
    found = samples.nested_lstm()
    assert found.snapshot is not None
    rows = [Measurement(source.name, "finite", 10.0**-n, 1) for n, source in enumerate(found.snapshot.sources)]
    loop = found.snapshot.loop("map_fn/lstm")
    assert loop is not None
    slot = next(slot for slot in loop.slots if slot.role == "state")
    probe = Probe(loop.id, slot.name, "backward", slot.index, runs=(ProbeRun((0,), (1e-3, 0.5)),))
    return replace(found, run=BackwardRun(tuple(rows)), probes=(probe,))


@pytest.mark.parametrize("overlay", ["norm", "type"])
@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_moves_and_every_text_fits(name: str, overlay: Overlay) -> None:
    exploration, how = SAMPLES[name]
    scene = place(decide(exploration, **how))
    other = overlaid(scene, exploration, overlay)
    assert (other.boxes, other.edges, other.marks, other.width, other.height) == (
        scene.boxes, scene.edges, scene.marks, scene.width, scene.height,
    )  # fmt: skip
    places = [[(card.id, card.x, card.y, card.w, card.h) for card in each.cards] for each in (scene, other)]
    assert places[0] == places[1]
    for card in other.cards:
        assert all(width(line, *fonts(card.kind, n)) <= card.w - 8 for n, line in enumerate(card.lines))


def test_the_status_overlay_is_the_scene_itself() -> None:
    scene = place(decide(samples.branches()))
    assert overlaid(scene, samples.branches(), "status") is scene


def test_norms_are_the_measured_ones_and_tint_the_cards() -> None:
    exploration = measured()
    known = norms(exploration)
    scene = overlaid(place(decide(exploration)), exploration, "norm")
    cards = {card.id: card for card in scene.cards}
    assert exploration.run is not None
    first, last = exploration.run.measurements[0], exploration.run.measurements[-1]
    assert cards[f"source:{first.source}"].lines[1] == "norm 1"
    assert cards[f"source:{first.source}"].tint == 1.0
    assert cards[f"source:{last.source}"].tint == 0.0
    chip = next(card for card in scene.cards if card.kind == "slot" and card.tint is not None)
    assert "0.5" in chip.lines[0]  # the largest of all iterations
    assert known.by_card[chip.id] == 0.5
    for painted in (svg(scene), str(figure(scene).to_json())):
        assert heat(1.0) in painted


def test_an_unmeasured_source_says_so() -> None:
    exploration = replace(samples.nested_lstm(), run=None)
    cards = overlaid(place(decide(exploration)), exploration, "norm").cards
    assert {card.lines[1] for card in cards if card.kind == "source"} == {"norm not known"}
    assert all(card.tint is None for card in cards)


def test_types_are_those_of_the_graph() -> None:
    exploration = samples.nested_lstm()
    assert exploration.snapshot is not None
    cards = {card.id: card for card in overlaid(place(decide(exploration)), exploration, "type").cards}
    for source in exploration.snapshot.sources:
        assert cards[f"source:{source.name}"].lines[1].startswith(source.dtype)
