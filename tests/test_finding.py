"""Search in the picture: by type, name, line and status, and what is folded away."""

from __future__ import annotations

from explorer.layout.finding import Found, find
from explorer.layout.nest import decide
from explorer.model.graph import Snapshot
from tests import exploration_samples as samples

LSTM = samples.nested_lstm("integer_cast")
NEST = decide(LSTM)


def snapshot() -> Snapshot:
    assert LSTM.snapshot is not None
    return LSTM.snapshot


def look_for(wanted: str) -> Found:
    return find(NEST, snapshot(), wanted)


def test_an_op_type_is_found_in_every_loop() -> None:
    found = look_for("matmul")
    expected = [card.id for card in NEST.cards if card.lines[0] == "MatMul"]
    assert expected
    assert list(found.shown) == expected


def test_a_line_is_that_line_and_no_other() -> None:
    lines = {f"{op.stack}": snapshot().where(op.stack) for op in snapshot().ops}
    some = next(place.line for place in lines.values() if place is not None)
    hits = look_for(f"line {some}")
    ops = {op.id for op in snapshot().ops if (place := snapshot().where(op.stack)) and place.line == some}
    drawn = [card for card in NEST.cards if set(card.ops) & ops]
    assert {card.id for card in drawn} <= set(hits.shown)
    assert look_for("line 3") != look_for("line 34") or not look_for("line 34").shown


def test_a_status_is_found_by_its_words() -> None:
    found = look_for("blocked")
    assert {card.id for card in NEST.cards if card.barrier} <= set(found.shown)
    assert "source:x" in found.shown


def test_what_is_folded_is_found_and_counted() -> None:
    run = next(card for card in NEST.cards if card.kind == "run")
    kind = snapshot().ops[run.ops[0]].type
    found = look_for(kind)
    assert run.id in found.shown
    assert (run.lines[0], sum(snapshot().ops[op].type == kind for op in run.ops)) in found.folded


def test_plumbing_is_counted_and_every_op_is_somewhere() -> None:
    assert look_for("Placeholder").plumbing == sum(op.type == "Placeholder" for op in snapshot().ops) > 0
    closed = decide(LSTM, "loop", frozenset({"map_fn"}))
    assert find(closed, snapshot(), "matmul").folded


def test_a_loop_is_found_by_its_header_and_nothing_by_nothing() -> None:
    assert "loop:map_fn" in look_for("map_fn").shown
    assert look_for("   ") == Found()
    assert look_for("no such thing") == Found()
