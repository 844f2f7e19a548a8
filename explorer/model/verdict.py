"""What is said about the gradient: predicted, measured, and the two put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from explorer.model.case import Case
from explorer.model.graph import Location, Snapshot
from explorer.model.probes import LoopCost, Probe
from explorer.model.speed import Speed

Predicted = Literal["flows", "none-blocked", "none-disconnected", "not-trainable", "raised"]
Measured = Literal["finite", "zero", "none", "nan", "inf", "raised", "unobserved"]
Status = Literal[
    "flows", "zero", "zero-blocked", "vanishing", "exploding", "nan", "inf",
    "none-blocked", "none-disconnected", "not-trainable", "raised", "unobserved",
]  # fmt: skip
Outcome = Literal["done", "raised", "crashed", "timed_out", "out_of_memory", "cancelled"]
Stage = Literal["start", "build", "trace", "predict", "backward", "probe"]

STAGES: tuple[Stage, ...] = ("start", "build", "trace", "predict", "backward", "probe")


@dataclass(frozen=True)
class Barrier:
    """An edge that data crosses and a gradient cannot, on a way from a source to the loss.

    ``op`` is the op's id in the snapshot, ``input`` the position of the cut input (-1: the loop condition),
    ``before``/``after`` the tensors on its two sides. ``loud``: TensorFlow raises there. ``count``: how many times the
    same line is met (an unrolled loop meets it once per iteration).
    """

    id: str
    op: int
    op_name: str
    op_type: str
    input: int
    loop: str
    cause: str
    loud: bool
    location: Location | None
    remedy: str
    before: int
    after: int
    count: int = 1
    evidence: str = ""


@dataclass(frozen=True)
class Prediction:
    """For one source. ``answered``: TensorFlow returns a tensor, not ``None``; with a cut path that tensor is zero."""

    source: str
    predicted: Predicted
    answered: bool
    cause: str | None = None
    barriers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Risk:
    """A path on which TensorFlow's own backward pass is known to raise, or whose answer is known to mislead."""

    cause: str
    op: int
    op_type: str
    loop: str
    location: Location | None
    sentence: str


@dataclass(frozen=True)
class GradientFlow:
    """The prediction.

    ``whole``: tensors from which a gradient path to the loss is whole; ``leads``: tensors whose data reaches the loss.
    """

    predictions: tuple[Prediction, ...]
    barriers: tuple[Barrier, ...]
    whole: frozenset[int]
    leads: frozenset[int]
    risks: tuple[Risk, ...] = ()


@dataclass(frozen=True)
class Measurement:
    """For one source. ``norm`` is the L2 norm, taken in float64; ``size`` the number of elements."""

    source: str
    measured: Measured
    norm: float | None = None
    size: int | None = None
    largest: float | None = None
    sparse: bool = False


@dataclass(frozen=True)
class Failure:
    """An error with its useful sentence first.

    ``stage`` is where it happened, ``location`` the user's own line; ``hint`` says what a misleading message means and
    what to write instead; ``detail`` is the whole traceback.
    """

    stage: Stage
    type: str
    message: str
    location: Location | None = None
    detail: str = ""
    hint: str = ""


@dataclass(frozen=True)
class BackwardRun:
    """The measurement. ``loss`` is the differentiated value (summed when it was not a scalar)."""

    measurements: tuple[Measurement, ...]
    loss: float | None = None
    loss_summed: bool = False


@dataclass(frozen=True)
class Disagreement:
    """A source for which prediction and measurement differ: a finding, never hidden."""

    source: str
    predicted: Predicted
    measured: Measured
    sentence: str


@dataclass(frozen=True)
class Conclusion:
    """For one source: prediction and measurement put together."""

    source: str
    status: Status
    why: str = ""


@dataclass(frozen=True)
class BadNumber:
    """The first op that produced NaN or Inf, forward or backward. ``cause`` is a key of ``explorer.rules.numbers``."""

    kind: Literal["nan", "inf"]
    phase: Literal["forward", "backward"]
    op_type: str
    op_name: str
    loop: str
    location: Location | None
    cause: str
    sentence: str


@dataclass(frozen=True)
class NumberCheck:
    """A gradient compared with finite differences. ``agrees`` None: it cannot be judged, ``sentence`` says why.

    ``error`` is the largest difference relative to the larger of the two gradients, over ``coordinates`` elements.
    """

    source: str
    agrees: bool | None
    error: float | None
    coordinates: int
    sentence: str


@dataclass(frozen=True)
class SecondOrder:
    """The gradient of the gradient's norm: what was measured, or the failure with its explanation."""

    measurements: tuple[Measurement, ...] = ()
    failure: Failure | None = None


@dataclass(frozen=True)
class Surroundings:
    """Where it ran."""

    device: str = ""
    versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Exploration:
    """Everything known about one case; grows while the child works, and keeps what it has when the child dies.

    ``trips`` maps a loop id to one number per run, in order. ``seconds`` maps a stage to its duration; ``memory``
    maps a name to MB. ``code`` is the source text that ran, ``file`` its name.
    """

    case: Case
    outcome: Outcome | None = None
    stage: Stage = "start"
    failure: Failure | None = None
    snapshot: Snapshot | None = None
    flow: GradientFlow | None = None
    run: BackwardRun | None = None
    trips: dict[str, tuple[int, ...]] = field(default_factory=dict)
    conclusions: tuple[Conclusion, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    memory: dict[str, float] = field(default_factory=dict)
    surroundings: Surroundings = Surroundings()
    file: str = ""
    code: str = ""
    way: str = ""
    notes: tuple[str, ...] = ()
    numerics: tuple[BadNumber, ...] = ()
    number_checks: tuple[NumberCheck, ...] = ()
    second_order: SecondOrder | None = None
    speed: Speed | None = None
    probes: tuple[Probe, ...] = ()
    costs: tuple[LoopCost, ...] = ()
