"""What happens inside a loop, iteration by iteration: the values, and the gradient flowing back through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["forward", "backward"]


@dataclass(frozen=True)
class Health:
    """One number per iteration: least and largest element, share of exact zeros (0 to 1), counts of NaN and Inf."""

    least: tuple[float, ...]
    largest: tuple[float, ...]
    zeros: tuple[float, ...]
    nans: tuple[int, ...]
    infs: tuple[int, ...]


@dataclass(frozen=True)
class ProbeRun:
    """One run of a loop, seen at one tensor.

    ``outer`` holds the iteration of every enclosing loop, outermost first. ``norms[i]`` is the L2 norm, taken in
    float64, of what iteration i produced (``forward``) or of the gradient with respect to it (``backward``): a state
    that doubles three times before the loss gives 4, 2, 1. It is the whole gradient, as a tape gives it: of a state
    that is carried on and also written to a list, both ways count. ``start`` is the same for the value before the
    first iteration, None where there is none.
    """

    outer: tuple[int, ...]
    norms: tuple[float, ...]
    start: float | None = None
    health: Health | None = None


@dataclass(frozen=True)
class Probe:
    """One tensor of a loop's body, watched in one direction.

    ``slot`` is the loop variable's index in the loop (-1: not a loop variable), ``tensor`` the id in the Snapshot of
    what is watched (-1: not known), ``name`` what the user calls it. ``runs`` come in the order of ``outer``.
    ``unobserved`` says why there are none. ``cut``: no gradient path leads through the body from one iteration's value
    to the one before, so that the zeros there stand for None.
    """

    loop: str
    name: str
    direction: Direction
    slot: int = -1
    tensor: int = -1
    runs: tuple[ProbeRun, ...] = ()
    unobserved: str = ""
    cut: bool = False


@dataclass(frozen=True)
class LoopCost:
    """What one loop costs. None where it cannot be measured.

    ``forward``/``backward`` are seconds over all its runs; ``stored`` is the number of values each iteration keeps for
    the backward pass, ``stored_bytes`` their size in bytes; lists of an inner loop's values weigh nothing here, their
    bytes are the inner loop's.
    """

    loop: str
    forward: float | None = None
    backward: float | None = None
    stored: int | None = None
    stored_bytes: int | None = None
