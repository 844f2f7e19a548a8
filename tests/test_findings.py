"""What counts as a finding, and what the verdict says of weights that nobody trains."""

from __future__ import annotations

from dataclasses import replace

from explorer.model.graph import Location
from explorer.model.verdict import Risk
from explorer.rules.sentence import verdict
from explorer.usecases.findings import findings
from tests.explorations import exploration


def test_weights_made_anew_are_a_finding_although_a_gradient_reaches_them() -> None:
    whole = exploration()
    assert findings(whole) == ()
    assert whole.flow is not None
    risk = Risk("fresh_weights", -1, "Variable", "", Location("model.py", 7), "Variables are made here anew.")
    fresh = replace(whole, flow=replace(whole.flow, risks=(risk, risk)))
    assert "Variables are made here anew." in findings(fresh)
    assert verdict(fresh).endswith("weights are made anew at model.py:7 on every call, so none of them is trained.")
