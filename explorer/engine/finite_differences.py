"""Each gradient compared with central differences of the loss: finds gradients that are finite and wrong.

A few coordinates of each source and one direction through all of them, chosen by the case's seed, each at two steps
(Richardson). Nothing is cast: the program runs in its own dtypes, and the coarsest of them sets step and tolerance.
It says that it cannot judge where two evaluations differ, where the loss is not finite, or where the two steps
disagree, as they do at a corner or a jump.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from explorer.engine.evaluation import Evaluation, evaluating
from explorer.engine.sources import LiveSource
from explorer.engine.targets import Program
from explorer.model.case import Case, Way
from explorer.model.graph import Snapshot
from explorer.model.verdict import GradientFlow, NumberCheck

COORDINATES = 4  # with one direction and four evaluations each: 20 per source
_CUTTING = frozenset({"StopGradient", "IdentityN", "PyFunc", "EagerPyFunc"})  # IdentityN: a custom gradient
_DEPENDS = "the function does depend on {name} (finite difference {difference:.4g}), {says}"
_LEAVES_OUT = (
    "{says}, finite differences say {difference:.4g}: the gradient leaves out a path that is cut (stop_gradient, a "
    "custom gradient, a barrier), or is wrong"
)
_WRONG = "{says}, finite differences say {difference:.4g}: the gradient is wrong"
_CUT = ("none-blocked", "none-disconnected")


@dataclass(frozen=True)
class Precision:
    """``step``: relative to the size of the value; ``tolerance``: to that of the gradient; ``unit``: the rounding."""

    step: float
    tolerance: float
    unit: float


_PRECISIONS = {
    "float64": Precision(1e-3, 1e-5, 2.3e-16),
    "float32": Precision(2e-2, 1e-2, 1.2e-7),
}
_ROUNDINGS = 8.0  # a loss is the end of many operations, each of which rounds


@dataclass(frozen=True)
class _Probe:
    """One direction: derivative by differences, by the gradient, and what rounding may have added.

    ``floor`` is how large the gradient is along such a direction on the whole: less is negligible.
    """

    difference: float
    gradient: float
    noise: float
    floor: float
    smooth: bool

    @property
    def error(self) -> float:
        """The difference between the two, relative to the larger."""
        scale = max(abs(self.difference), abs(self.gradient), self.floor, self.noise)
        return abs(self.difference - self.gradient) / scale if scale else 0.0

    def agrees(self, tolerance: float) -> bool:
        scale = max(abs(self.difference), abs(self.gradient), self.floor)
        return abs(self.difference - self.gradient) <= tolerance * scale + self.noise


def compare(
    case: Case, way: Way, load: Callable[[], Program], snapshot: Snapshot, flow: GradientFlow | None
) -> tuple[NumberCheck, ...]:
    """One check per source that has a gradient or could have one."""
    coarse = _coarsest(snapshot)
    predicted = {p.source: p.predicted for p in flow.predictions} if flow else {}
    # a source may flow by one path and be cut on another, on purpose even (straight-through estimators)
    partly = bool(flow and flow.barriers) or any(op.type in _CUTTING for op in snapshot.ops)
    with evaluating(case, way, load) as evaluation:
        sources = [s for s in evaluation.sources if s.differentiable]
        if coarse not in _PRECISIONS:
            reason = f"the program computes in {coarse}, too coarse for differences"
            return tuple(_unjudged(s, reason) for s in sources)
        base, again = evaluation.loss({}), evaluation.loss({})
        if not math.isfinite(base):
            return tuple(_unjudged(s, "the loss is not finite") for s in sources)
        if base != again:
            reason = f"two evaluations of the same loss differ ({base:.6g} and {again:.6g}), so it is not deterministic"
            return tuple(_unjudged(s, reason) for s in sources)
        precision = _PRECISIONS[coarse]
        return tuple(
            _check(evaluation, s, base, precision, case.seed + k, _why(predicted.get(s.name, "") in _CUT, partly))
            for k, s in enumerate(sources)
        )


def _why(cut: bool, partly: bool) -> str:
    """The sentence for a difference; a cut that is known is not called wrong."""
    return _DEPENDS if cut else _LEAVES_OUT if partly else _WRONG


def _coarsest(snapshot: Snapshot) -> str:
    """The floating dtype with the largest rounding among all tensors of the program."""
    floats = {t.dtype for t in snapshot.tensors if t.dtype in ("float16", "bfloat16", "float32", "float64")}
    order = ("bfloat16", "float16", "float32", "float64")
    return next((name for name in order if name in floats), "float32")


def _check(
    evaluation: Evaluation, source: LiveSource, base: float, precision: Precision, seed: int, why: str
) -> NumberCheck:
    given, value = evaluation.gradients[source.name], evaluation.values[source.name]
    if value.dtype.kind == "c":
        return _unjudged(source, "complex numbers are not compared")
    if value.size == 0:
        return _unjudged(source, "it has no elements")
    gradient = np.zeros(value.shape) if given is None else given.astype(np.float64)
    if not np.isfinite(gradient).all():
        return _unjudged(source, "its gradient is not finite")
    probes: list[_Probe] = []
    skipped: list[str] = []
    for direction in _directions(gradient, seed):
        probe = None
        for size in _sizes(value, direction):
            probe = _probe(evaluation, source.name, value, gradient, direction, base, precision, size)
            if probe and probe.smooth and probe.agrees(precision.tolerance):
                break
        probes += [probe] if probe and probe.smooth else []
        skipped += (
            [] if probe and probe.smooth else ["the loss is not smooth there" if probe else "it is not finite there"]
        )
    if not probes:
        return _unjudged(source, max(set(skipped), key=skipped.count))
    wrong = [p for p in probes if not p.agrees(precision.tolerance)]
    return _judged(source, given is None, probes, wrong, len(skipped), why)


def _directions(gradient: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    """The coordinate with the largest gradient, some chosen by chance, and one direction through all."""
    random = np.random.RandomState(seed % 2**32)
    size = gradient.size
    largest = int(np.abs(gradient).argmax())
    others = [int(k) for k in random.permutation(size)[:COORDINATES] if k != largest]
    for k in [largest, *others][:COORDINATES]:
        unit = np.zeros(size)
        unit[k] = 1.0
        yield unit.reshape(gradient.shape)
    if size > COORDINATES:
        yield random.choice([-1.0, 1.0], size).reshape(gradient.shape)


def _probe(
    evaluation: Evaluation,
    name: str,
    value: np.ndarray,
    gradient: np.ndarray,
    direction: np.ndarray,
    base: float,
    precision: Precision,
    size: float,
) -> _Probe | None:
    """Central differences at a step and at half of it; None where the loss is not finite."""
    numbers = value.astype(np.float64)
    length = float((direction**2).sum())
    step = precision.step * size
    found = []
    for width in (step, step / 2):
        above, below = (_moved(value, direction * sign * width) for sign in (1, -1))
        up, down = evaluation.loss({name: above}), evaluation.loss({name: below})
        if not (math.isfinite(up) and math.isfinite(down)):
            return None
        # what the dtype made of the step, not what was asked for
        real = [float(((v.astype(np.float64) - numbers) * direction).sum()) / length for v in (above, below)]
        found.append(((up - base) / real[0], (down - base) / real[1], (up - down) / (real[0] - real[1])))
    (right, left, wide), (near_right, near_left, narrow) = found
    noise = _ROUNDINGS * precision.unit * max(abs(base), evaluation.largest) / step
    expected = float((gradient * direction).sum())
    scale = max(abs(wide), abs(narrow), abs(expected))
    # a corner keeps the gap between its two sides however small the step; a jump makes the differences grow
    gap = abs(near_right - near_left)
    corner = gap > 0.7 * abs(right - left) and gap > 0.05 * scale + 4 * noise
    jump = abs(wide - narrow) > 0.1 * scale + 4 * noise
    floor = float(np.sqrt((gradient**2).mean() * length))
    return _Probe((4 * narrow - wide) / 3, expected, noise, floor, not (corner or jump))


def _sizes(value: np.ndarray, direction: np.ndarray) -> tuple[float, float]:
    """What a step is a fraction of; the smaller one where the first finds no agreement.

    A huge element (a mask's 1e30) beside small ones would ask for a step that saturates everything.
    """
    sizes = np.abs(value.astype(np.float64))
    moved = sizes[(direction != 0) & (sizes > 0)]
    usual = max(float(moved[0]) if moved.size == 1 else 0.0, float(np.median(sizes))) or 1.0
    return usual, float(np.quantile(moved, 0.1)) if moved.size else 0.1 * usual


def _moved(value: np.ndarray, by: np.ndarray) -> np.ndarray:
    return np.asarray(value.astype(np.float64) + by).astype(value.dtype)


def _unjudged(source: LiveSource, why: str) -> NumberCheck:
    return NumberCheck(source.name, None, None, 0, f"{source.name}: cannot be judged, because {why}.")


def _judged(
    source: LiveSource, none: bool, probes: list[_Probe], wrong: list[_Probe], skipped: int, why: str
) -> NumberCheck:
    error = max(p.error for p in probes)
    left = f" ({skipped} more could not be judged)" if skipped else ""
    places = f"{len(probes)} place{'' if len(probes) == 1 else 's'}"
    if not wrong:
        return NumberCheck(
            source.name, True, error, len(probes), f"{source.name}: agrees with finite differences at {places}{left}."
        )
    worst = max(wrong, key=lambda p: abs(p.difference - p.gradient))
    says = "TensorFlow says None" if none else f"the gradient says {worst.gradient:.4g}"
    sentence = why.format(name=source.name, difference=worst.difference, says=says)
    return NumberCheck(source.name, False, error, len(probes), f"{source.name}: {sentence}{left}.")
