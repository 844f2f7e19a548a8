"""What counts as a finding: the one rule behind the command line's exit code and a test that must fail."""

from __future__ import annotations

from explorer.model.verdict import Exploration, Prediction, Status
from explorer.rules.sentence import fresh_weights

FINDINGS: frozenset[Status] = frozenset({"nan", "inf", "none-blocked", "none-disconnected", "zero-blocked", "raised"})
WARNINGS: frozenset[Status] = frozenset({"zero", "vanishing", "exploding"})


def findings(exploration: Exploration, strict: bool = False) -> tuple[str, ...]:
    """One line per finding; empty when every trainable source's gradient flows. ``strict`` counts warnings as well.

    A source that was not observed (the run was left out, or ended early) is judged by its prediction alone.
    """
    bad = FINDINGS | WARNINGS if strict else FINDINGS
    lines = [f"{each.source}: {each.status}" for each in exploration.conclusions if each.status in bad]
    lines += [f"{each.source}: predicted {each.predicted}" for each in _predicted_only(exploration)]
    lines += [each.sentence for each in exploration.disagreements]
    lines += [each.sentence for each in fresh_weights(exploration)]
    lines += [each.sentence for each in exploration.number_checks if each.agrees is False]
    if exploration.second_order is not None and exploration.second_order.failure is not None:
        lines.append(exploration.second_order.failure.message)
    if exploration.outcome == "raised":
        lines.append(exploration.failure.message if exploration.failure else "The run raised an error.")
    return tuple(lines)


def _predicted_only(exploration: Exploration) -> list[Prediction]:
    if exploration.flow is None:
        return []
    concluded = {each.source for each in exploration.conclusions if each.status != "unobserved"}
    cut = ("none-blocked", "none-disconnected", "raised")
    return [each for each in exploration.flow.predictions if each.source not in concluded and each.predicted in cut]
