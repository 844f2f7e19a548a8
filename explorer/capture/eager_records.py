"""What an eager recording holds: plain values and the runs of loops; live tensors only where it is asked to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from explorer.capture.builder import SnapshotBuilder
from explorer.capture.loop_sites import LoopSite
from explorer.capture.python_loops import Path, Turn
from explorer.model.case import Shape
from explorer.model.graph import Layer, Signature, Stack

Names = dict[int, str]


@dataclass
class States:
    """``begun[path, run]`` has one entry per iteration, ``left[path, run]`` is what the names meant when it ended."""

    begun: dict[tuple[Path, int], list[dict[str, Any]]] = field(default_factory=dict)
    left: dict[tuple[Path, int], dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Kept:
    """What is kept of a tensor."""

    dtype: str
    shape: Shape | None
    trainable: bool


@dataclass(frozen=True)
class Recorded:
    """An op that ran. Tensors are TensorFlow's ``_id``; ``unwatched`` are inputs that no tape watched.

    ``call`` holds the frozen graph of a tf.function, its graph 0 being the function's own; ``layer`` the Keras layer
    whose own code ran the op.
    """

    type: str
    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    stack: Stack
    turns: tuple[Turn, ...]
    signature: Signature | None = None
    note: str = ""
    unwatched: tuple[int, ...] = ()
    call: SnapshotBuilder | None = None
    layer: Layer | None = None


@dataclass
class Recording:
    """Everything that ran.

    ``producer`` maps a tensor to the position of the op that made it; ``bound`` the tensors that were known by a name
    at the beginning of an iteration; ``entering`` those at the first iteration of a loop's latest run, with its number.
    ``limits`` are the maximum and parallel iterations of TensorFlow's loops. ``states``, where they are asked for: the
    live tensors by name for every run of a loop, at the beginning of each iteration, and after the last one.
    """

    ops: list[Recorded] = field(default_factory=list)
    tensors: dict[int, Kept] = field(default_factory=dict)
    producer: dict[int, int] = field(default_factory=dict)
    departures: list[tuple[int, str, Stack]] = field(default_factory=list)
    bound: dict[Path, Names] = field(default_factory=dict)
    entering: dict[Path, tuple[int, Names]] = field(default_factory=dict)
    limits: dict[LoopSite, tuple[int | None, int | None]] = field(default_factory=dict)
    states: States | None = None
