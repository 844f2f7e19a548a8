"""Puts prediction and measurement together: a status per source, and every disagreement as a finding."""

from __future__ import annotations

from dataclasses import replace

from explorer.model.verdict import (
    BackwardRun,
    Conclusion,
    Disagreement,
    Exploration,
    Measurement,
    Prediction,
    Status,
)
from explorer.rules.causes import CAUSES
from explorer.rules.endless import suspect

# Largest |gradient| below or above which a finite gradient is called vanishing or exploding.
VANISHING = 1e-8
EXPLODING = 1e6

_AGREEING: dict[str, frozenset[str]] = {
    "flows": frozenset({"finite", "zero", "nan", "inf"}),
    "none-blocked": frozenset({"none", "zero"}),
    "none-disconnected": frozenset({"none", "zero"}),
    "raised": frozenset({"raised"}),
}


def conclude(exploration: Exploration) -> Exploration:
    """The exploration with ``conclusions`` and ``disagreements`` made from what it holds so far."""
    exploration = _placed(exploration)
    flow = exploration.flow
    if flow is None:
        return exploration
    if exploration.run is None and raised_backward(exploration):
        every = tuple(Measurement(p.source, "raised") for p in flow.predictions)
        exploration = replace(exploration, run=BackwardRun(every))
    measured = {m.source: m for m in exploration.run.measurements} if exploration.run else {}
    conclusions, disagreements = [], []
    for prediction in flow.predictions:
        measurement = measured.get(prediction.source, Measurement(prediction.source, "unobserved"))
        conclusions.append(_conclusion(exploration, prediction, measurement))
        if not agree(prediction, measurement):
            disagreements.append(_disagreement(prediction, measurement))
    return replace(exploration, conclusions=tuple(conclusions), disagreements=tuple(disagreements))


def _placed(exploration: Exploration) -> Exploration:
    """A run that reached its time limit is placed at the loop that did not end, where no line is known."""
    failure, loop = exploration.failure, suspect(exploration) if exploration.outcome == "timed_out" else None
    if failure is None or failure.location is not None or loop is None or exploration.snapshot is None:
        return exploration
    where = exploration.snapshot.where(loop.stack)
    return replace(exploration, failure=replace(failure, location=where))


def raised_backward(exploration: Exploration) -> bool:
    """Whether TensorFlow raised while the gradient was built or run (the forward pass had been traced)."""
    failure = exploration.failure
    return failure is not None and failure.stage == "backward" and exploration.outcome in (None, "raised")


def agree(prediction: Prediction, measurement: Measurement) -> bool:
    """Whether TensorFlow did what was predicted; a pass that raised or was not observed tells nothing about paths."""
    return measurement.measured in ("unobserved", "raised") or measurement.measured in _AGREEING.get(
        prediction.predicted,
        (measurement.measured,),  # nothing is claimed about what is not trainable
    )


def _conclusion(exploration: Exploration, prediction: Prediction, measurement: Measurement) -> Conclusion:
    status = _status(exploration, prediction, measurement)
    return Conclusion(prediction.source, status, _why(exploration, prediction, status))


def _status(exploration: Exploration, prediction: Prediction, measurement: Measurement) -> Status:
    if prediction.predicted == "not-trainable":
        return "not-trainable"
    cut = prediction.predicted in ("none-blocked", "none-disconnected")
    match measurement.measured:
        case "finite":
            return _size_status(measurement)
        case "zero":
            return "zero-blocked" if cut else "zero"
        case "none":
            return "none-disconnected" if prediction.predicted == "none-disconnected" else "none-blocked"
        case "nan" | "inf" | "raised" as told:
            return told
    if cut or exploration.case.static_only:
        return "flows" if prediction.predicted == "flows" else prediction.predicted
    return "unobserved"


def _size_status(measurement: Measurement) -> Status:
    largest = measurement.largest
    if largest is not None and largest < VANISHING:
        return "vanishing"
    return "exploding" if largest is not None and largest > EXPLODING else "flows"


def _why(exploration: Exploration, prediction: Prediction, status: Status) -> str:
    if status == "zero":
        return "The path is whole; the value is exactly zero (an untaken branch, a masked or overwritten element)."
    if status == "unobserved":
        return exploration.failure.message if exploration.failure else "The backward pass has not run."
    return CAUSES[prediction.cause].title if prediction.cause in CAUSES else ""


def _disagreement(prediction: Prediction, measurement: Measurement) -> Disagreement:
    sentence = (
        f"{prediction.source}: predicted {prediction.predicted}, but TensorFlow's backward pass gave "
        f"{measurement.measured}. One of the two is wrong: please report it with the model."
    )
    return Disagreement(prediction.source, prediction.predicted, measurement.measured, sentence)
