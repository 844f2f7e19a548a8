"""What a strategy is: one way to build the loop, run by one file of sample_models/."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from explorer.model.case import Shape, Way
from explorer.strategies.options import CELL, UNITS, Option

Family = Literal["TF1 graph", "TF2 graph", "Eager", "Fused"]

INPUT = "x"
IN_GRAPH = ("inner", "outer", "weights")
"""The places of a sample that no tape differentiates."""
SOURCES = (INPUT, "kernel", "recurrent_kernel", "bias", "readout")


@dataclass(frozen=True)
class Strategy:
    """One way to build the loop.

    ``file`` lies in sample_models/. ``places`` are those marked for breakers in it: its loops, its weights, the tape.
    ``dims`` name the dimensions of the input ``x``; those in ``sized`` keep their size where no signature is given,
    because weights are made from them or because they are written out: with None there, TensorFlow refuses. ``shape``
    and ``sizes`` are what is used when the user says nothing.
    ``comparable``: with the same seed it computes the same function of the same weights as the others, so that their
    gradients must agree.
    """

    key: str
    title: str
    family: Family
    summary: str
    file: str
    way: Way
    when: str
    pitfalls: tuple[str, ...]
    options: tuple[Option, ...] = (CELL, UNITS)
    places: tuple[str, ...] = (*IN_GRAPH, "tape")
    dims: tuple[str, ...] = ("outer", "batch", "time", "features")
    sized: tuple[str, ...] = ("features",)
    shape: Shape = (None, None, None, 10)
    sizes: tuple[int, ...] = (3, 5, 7, 10)
    dtype: str = "float32"
    comparable: bool = True
