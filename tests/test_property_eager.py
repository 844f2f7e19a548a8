"""Random nested programs run eagerly: prediction and tape agree on every source."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow")

from tests.programs.holds import tally_of

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(600)]


def test_prediction_is_what_the_tape_answers():
    tally = tally_of("eager", 60)
    assert tally.with_a_cut >= tally.programs / 3, f"too few programs hold a cut source: {tally}"
