"""Probes made by hand, put on the hand-made nested LSTM: map_fn over a Keras LSTM."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from explorer.model.probes import Direction, Health, LoopCost, Probe, ProbeRun
from explorer.model.verdict import Exploration
from tests.exploration_samples import nested_lstm

OUTER, INNER = "map_fn", "map_fn/lstm"


def probe(*runs: Sequence[float], direction: Direction = "backward", name: str = "h", slot: int = 2) -> Probe:
    """Watched in the inner loop; one run for each iteration of the outer one."""
    made = tuple(ProbeRun((outer,), tuple(norms)) for outer, norms in enumerate(runs))
    return Probe(INNER, name, direction, slot, -1, made)


def falling(rate: float, steps: int, first: float = 1.0) -> tuple[float, ...]:
    """A gradient that changes by this factor for every iteration it goes back."""
    return tuple(first * rate ** (steps - 1 - step) for step in range(steps))


def watched(rate: float = 0.5, outer: int = 3, inner: int = 7, nan: tuple[int, int] | None = None) -> Exploration:
    """``nan``: in this run of the inner loop, the gradient is NaN from this iteration back."""
    runs = []
    for at in range(outer):
        norms = list(falling(rate, inner, 0.1 * (at + 1)))
        if nan is not None and at == nan[0]:
            norms[: nan[1] + 1] = [math.nan] * (nan[1] + 1)
        counts = tuple(int(math.isnan(norm)) for norm in norms)
        size = tuple(norm / 2 for norm in norms)
        health = Health(tuple(-each for each in size), size, (0.25,) * inner, counts, (0,) * inner)
        runs.append(ProbeRun((at,), tuple(norms), norms[0] * rate, health))
    items = ProbeRun((), tuple(0.1 * (at + 1) for at in range(outer)))
    probes = (
        Probe(OUTER, "ta", "backward", 2, -1, (items,)),
        Probe(INNER, "h", "backward", 2, -1, tuple(runs)),
        Probe(INNER, "c", "backward", 3, -1, (), "inside a fused kernel"),
        probe(*[(1.0,) * inner] * outer, direction="forward"),
    )
    costs = (LoopCost(OUTER, 0.002, 0.004), LoopCost(INNER, None, None, 9, 4096))
    trips = {OUTER: (outer,), INNER: (inner,) * outer}
    return replace(nested_lstm(), probes=probes, costs=costs, trips=trips)
