"""What a loop keeps for its backward pass, read off the graph after TensorFlow has built the gradient into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from explorer.capture import private
from explorer.capture.builder import shape_of
from explorer.capture.frames import loop_ids, while_context
from explorer.capture.freeze import source_of
from explorer.engine.progress import Progress
from explorer.model.probes import LoopCost


@dataclass(frozen=True)
class Stored:
    """One value that every iteration keeps: the tensor's name, and its size in bytes (None: a dimension is open).

    Lists of an inner loop's values count there and take no bytes here.
    """

    name: str
    size: int | None


def stored_in(bodies: Mapping[str, private.FuncGraph], before: Mapping[str, int]) -> dict[str, tuple[Stored, ...]]:
    """The values kept by each loop: lists that its body pushes to, which were added since it had ``before`` results."""
    found = {}
    for loop, body in bodies.items():
        added = [source_of(output).op for output in body.outputs[before[loop] :]]
        found[loop] = tuple(_stored(op.inputs[1]) for op in added if op.type == "TensorListPushBack")
    return found


def stored_in_frames(graph: tf.Graph) -> dict[str, tuple[Stored, ...]]:
    """The same for TF1 loops, whose gradient pushes on stacks."""
    names = loop_ids(graph)
    found: dict[str, tuple[Stored, ...]] = dict.fromkeys(names.values(), ())
    for op in graph.get_operations():
        if op.type == "StackPushV2":
            loop = names.get(str(getattr(while_context(op), "name", "")))
            if loop is not None:
                found[loop] += (_stored(op.inputs[1]),)
    return found


def tell_costs(
    stored: Mapping[str, tuple[Stored, ...]], progress: Progress, measured: Mapping[str, int] | None = None
) -> None:
    """The costs of the loops of the snapshot; ``measured`` are the bytes that a probed run found per iteration."""
    progress.stored = dict(stored)
    known = {loop.id for loop in progress.snapshot.loops} if progress.snapshot else set()
    costs = []
    for loop, kept in stored.items():
        sizes = [each.size for each in kept]
        size = (measured or {}).get(loop) if None in sizes else sum(each for each in sizes if each is not None)
        costs += [LoopCost(loop, None, None, len(kept), size)] if loop in known else []
    progress.tell("costs", tuple(costs))


def open_sizes(stored: Mapping[str, tuple[Stored, ...]]) -> dict[str, frozenset[str]]:
    """The names of what is kept by those loops of which the graph does not tell the bytes."""
    return {
        loop: frozenset(each.name for each in kept)
        for loop, kept in stored.items()
        if any(each.size is None for each in kept)
    }


def bytes_popped(body: private.FuncGraph, names: frozenset[str]) -> tf.Tensor | None:
    """How many bytes one run of a backward body takes from the lists of these values; None where one is missing.

    Built in that body; float64.
    """
    behind = {id(inner): outer for outer, inner in body.captures}
    sizes: dict[str, tf.Tensor] = {}
    for op in body.get_operations():
        accumulator = behind.get(id(op.inputs[0])) if op.type == "TensorListPopBack" else None
        if accumulator is None or accumulator.op.type != "TensorListPushBack":
            continue
        name, value = accumulator.op.inputs[1].name, op.outputs[1]
        if name in names:
            count = 0 if value.dtype == tf.variant else tf.size(value, tf.int64)
            sizes[name] = tf.cast(count, tf.float64) * value.dtype.size
    return tf.add_n(list(sizes.values())) if len(sizes) == len(names) else None


def _stored(tensor: tf.Tensor) -> Stored:
    return Stored(tensor.name, size_of(tensor))


def size_of(tensor: Any) -> int | None:
    """Bytes of a value, None where the graph does not tell; a list of other values takes none of its own."""
    if tensor.dtype == tf.variant:
        return 0
    shape = shape_of(tensor.shape)
    if shape is None or None in shape:
        return None
    return int(tensor.shape.num_elements()) * int(tensor.dtype.size)
