"""Random nested programs under tf.function: prediction and TensorFlow agree on every source."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow")

from tests.programs.grammar import CUTS, LOUD, SMOOTH
from tests.programs.holds import tally_of
from tests.programs.ops import OPS

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(600)]


def test_prediction_is_what_tensorflow_answers():
    tally = tally_of("graph", 70)
    assert tally.with_a_cut >= tally.programs / 3, f"too few programs hold a cut source: {tally}"
    assert tally.hidden, f"no hidden None was drawn: {tally}"


def test_missing_rules_raise_where_predicted():
    tally = tally_of("graph", 10, loud=True)
    assert tally.programs >= 10


def test_every_op_of_the_grammar_can_be_built():
    assert sorted(OPS) == sorted((*SMOOTH, *CUTS, *LOUD))
