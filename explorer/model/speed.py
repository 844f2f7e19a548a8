"""How fast TensorFlow runs a case when nobody looks, and what gradient it gives: what strategies are compared by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GradientSample:
    """Coordinates of one gradient, the same ones for the same ``shape``; ``norm`` is of the whole gradient.

    ``values`` is empty where TensorFlow answered None.
    """

    source: str
    shape: tuple[int, ...] = ()
    norm: float | None = None
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class Speed:
    """Seconds of plain TensorFlow, without any hook of the explorer.

    ``build`` makes the model, ``trace`` the graph of loss and gradients (None in eager mode), ``first`` is the first
    run after that (warm-up), ``forward`` and ``both`` are medians of ``repeats`` later runs: the loss alone, the loss
    with its gradients. ``memory`` is by how many MB the process (on a GPU: its allocator) grew at most.
    """

    build: float
    trace: float | None
    first: float
    forward: float
    both: float
    repeats: int
    memory: float | None
    gradients: tuple[GradientSample, ...] = ()
