"""What is watched in which loop body, and the places in the graph that report it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import tensorflow as tf

from explorer.capture.freeze import source_of
from explorer.capture.loops import role_of
from explorer.engine.probe_numbers import is_counted
from explorer.model.probes import Direction
from explorer.rules.ops import LIST_WRITES


@dataclass(frozen=True)
class Pick:
    """One thing watched in a body: a carried state, the item written to a list, or an op's first output.

    ``passed`` is a state that the body does not make but only hands on from another loop variable; ``stored`` the
    number of bytes that a backward iteration takes from what the forward one kept.
    """

    kind: Literal["state", "passed", "item", "op", "stored"]
    slot: int = -1
    op: str = ""


@dataclass
class WatchedLoop:
    """A loop's body, and what is watched in it. ``why_not`` says why the loop is not watched at all.

    ``cut`` holds the states whose gradient the body does not hand on; ``refused`` why an op cannot be watched.
    """

    body: Any
    picks: list[tuple[Pick, tf.Tensor]] = field(default_factory=list)
    refused: dict[Pick, str] = field(default_factory=dict)
    forward: Site | None = None
    backward: list[Site] = field(default_factory=list)
    cut: set[Pick] = field(default_factory=set)
    why_not: str = ""

    @property
    def made(self) -> list[tuple[Pick, tf.Tensor]]:
        """The tensors that the body makes: TensorFlow is asked for their gradients as well."""
        return [(pick, source_of(tensor)) for pick, tensor in self.picks if pick.kind != "passed"]


@dataclass
class Site:
    """A place that reports once per run of a loop. ``hidden``: a call stands between it and the loops around it.

    ``ends`` are the picks whose first row is a value outside of the iterations; in the others it means nothing.
    """

    number: int
    loop: WatchedLoop
    direction: Direction
    picks: Sequence[Pick]
    ends: frozenset[Pick]
    summary: bool
    hidden: bool


STORED = Pick("stored")


@dataclass(frozen=True)
class Record:
    """One run of a loop: its trips, the iterations around it, and rows of numbers [trips + 1, picks, columns]."""

    site: int
    trips: int
    outer: tuple[int, ...]
    rows: np.ndarray


def look_at(body: Any, ops: Sequence[str]) -> WatchedLoop:
    """What a complete forward body holds: carried float states, items written to lists, ops asked for by name."""
    loop = WatchedLoop(body)
    for k, following in enumerate(body.outputs):
        role = role_of(k, body.inputs[k], following)
        if role == "state" and is_counted(following):
            made = source_of(following).op.type != "Placeholder"
            loop.picks.append((Pick("state" if made else "passed", k), following))
        item = written_item(following, body) if role == "accumulator" else None
        if item is not None and is_counted(item):
            loop.picks.append((Pick("item", k), item))
    for op in body.get_operations() if ops else ():
        if any(is_named(op.name, name) for name in ops):
            _look_at_op(op, loop)
    return loop


def written_item(following: tf.Tensor, body: Any) -> tf.Tensor | None:
    """What an iteration writes to the list that it hands on; None where the body itself does not write."""
    op = source_of(following).op
    if op.type not in LIST_WRITES:
        return None
    item = source_of(op.inputs[LIST_WRITES[op.type]])
    return item if item.graph is body and item.op.type != "Placeholder" else None


def is_named(op: str, name: str) -> bool:
    """Whether a user's name means an op: its whole name, or the end of it."""
    return op == name or op.endswith(f"/{name}")


def _look_at_op(op: tf.Operation, loop: WatchedLoop) -> None:
    pick = Pick("op", op=op.name)
    if not op.outputs or not is_counted(op.outputs[0]):
        kind = op.outputs[0].dtype.base_dtype.name if op.outputs else "nothing"
        loop.refused[pick] = f"It gives {kind}: norms are taken of real floating-point tensors."
        return
    loop.picks.append((pick, op.outputs[0]))
