"""Ways that differ are told with a reason."""

from __future__ import annotations

from dataclasses import replace

from explorer.model.case import Case
from explorer.model.verdict import BackwardRun, Exploration, Failure, Measured, Measurement
from explorer.rules.differences import differences, sentences


def ran(**measured: Measured) -> Exploration:
    run = BackwardRun(tuple(Measurement(name, answer) for name, answer in measured.items()))
    return Exploration(Case("model.py"), outcome="done", run=run)


def test_ways_that_agree_do_not_differ() -> None:
    assert differences({"eager": ran(x="finite"), "graph": ran(x="finite")}) == ()


def test_none_and_zero_are_the_hidden_none() -> None:
    (row,) = differences({"eager": ran(x="none", w="finite"), "graph": ran(x="zero", w="finite")})
    assert row.source == "x"
    assert row.ways == {"eager": "none", "graph": "zero"}
    assert row.sentence.startswith("The gradient of x is None eagerly, exactly zero in tf.function.")
    assert "hidden None" in row.sentence


def test_sources_that_differ_alike_share_a_sentence() -> None:
    rows = differences({"eager": ran(x="none", w="none", v="nan"), "graph": ran(x="zero", w="zero", v="finite")})
    shared, alone = sentences(rows)
    assert shared.startswith("The gradients of x and w are None eagerly, exactly zero in tf.function.")
    assert alone.startswith("The gradient of v is NaN eagerly, finite in tf.function.")


def test_a_way_that_ends_otherwise_is_told_with_its_hint() -> None:
    failure = Failure("backward", "InvalidArgumentError", "XLA compilation requires ...", hint="Give a bound.")
    refused = replace(ran(), outcome="raised", run=None, failure=failure)
    (row,) = differences({"graph": ran(x="finite"), "xla": refused})
    assert row.source is None
    assert row.sentence == "In tf.function it finishes; under XLA it raises (Give a bound)."
