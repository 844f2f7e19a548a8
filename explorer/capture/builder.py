"""Collects ops, tensors, bodies and loops while a program is read, and freezes them into a Snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import tensorflow as tf

from explorer.capture import private
from explorer.capture.lines import user_stack
from explorer.model.case import Shape
from explorer.model.graph import (
    ControlFlow,
    Departure,
    Graph,
    GraphKind,
    Layer,
    Loop,
    Op,
    Signature,
    Snapshot,
    Source,
    Stack,
    Tensor,
)


def shape_of(shape: tf.TensorShape) -> Shape | None:
    """The static shape with None dims kept; None where not even the rank is known."""
    return None if shape.rank is None else tuple(shape.as_list())


def is_trainable(tensor: Any) -> bool:
    """Whether TensorFlow would give this tensor a gradient.

    For a resource the element type decides: ``IsTrainable`` calls an integer variable's handle trainable
    (TensorFlow 2.21).
    """
    if tensor.dtype == tf.resource:
        element = private.element_dtype(tensor)
        return True if element is None else bool(element.is_floating or element.is_complex)
    return bool(private.is_trainable(tensor))


class SnapshotBuilder:
    """Mutable twin of a Snapshot. Ids are positions; reserve an op's id before freezing what hangs below it."""

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.tensors: list[Tensor] = []
        self.graphs: list[Graph] = []
        self.loops: list[Loop] = []
        self.departures: list[Departure] = []
        self._stacks: dict[Stack, int] = {}
        self._signatures: dict[Signature, int] = {}
        self._layers: dict[Layer, int] = {}
        self._loop_ids: set[str] = set()
        self._alive: list[Any] = []

    def add_tensor(self, op: int, dtype: str, shape: Shape | None, trainable: bool) -> int:
        """A new tensor's id."""
        self.tensors.append(Tensor(len(self.tensors), op, dtype, shape, trainable))
        return len(self.tensors) - 1

    def add_live_tensor(self, op: int, tensor: Any) -> int:
        """A new tensor's id, described by a live tensor."""
        return self.add_tensor(op, tensor.dtype.base_dtype.name, shape_of(tensor.shape), is_trainable(tensor))

    def reserve_op(self) -> int:
        """An op id to be filled by ``set_op``, so that outputs and bodies can refer to it first."""
        self.ops.append(Op(len(self.ops), "", "", 0, "", (), (), -1))
        return len(self.ops) - 1

    def set_op(self, op: Op) -> None:
        """Fill a reserved id."""
        self.ops[op.id] = op

    def reserve_graph(self) -> int:
        """A graph id to be filled by ``set_graph``."""
        self.graphs.append(Graph(len(self.graphs), "root", -1, (), ()))
        return len(self.graphs) - 1

    def set_graph(
        self, graph: int, kind: GraphKind, op: int, inputs: Sequence[int], outputs: Sequence[int], branch: int = 0
    ) -> None:
        """Fill a reserved graph id."""
        self.graphs[graph] = Graph(graph, kind, op, tuple(inputs), tuple(outputs), branch)

    def stack(self, stack: Stack) -> int:
        """The id of a stack of user frames."""
        return self._stacks.setdefault(stack, len(self._stacks))

    def stack_of(self, op: tf.Operation, fallback: int) -> int:
        """The id of a live op's user frames; ops of rebuilt graphs have none and inherit from the op around them."""
        frames = user_stack(private.user_frames(op))
        return self.stack(frames) if frames else fallback

    def signature(self, signature: Signature) -> int:
        """The id of a signature."""
        return self._signatures.setdefault(signature, len(self._signatures))

    def layer(self, layer: Layer | None) -> int:
        """The id of a Keras layer, -1 for none."""
        return -1 if layer is None else self._layers.setdefault(layer, len(self._layers))

    def loop_id(self, parent: str, name: str) -> str:
        """A new path ``parent/name``, numbered where it is taken already."""
        base = f"{parent}/{name}" if parent else name
        chosen, n = base, 1
        while chosen in self._loop_ids:
            n += 1
            chosen = f"{base}_{n}"
        self._loop_ids.add(chosen)
        return chosen

    def add_loop(self, loop: Loop) -> None:
        """Loops are added parents first."""
        self.loops.append(loop)

    def replace_loop(self, loop: Loop) -> None:
        """Put a fuller version in place of the loop with the same id."""
        position = next(k for k, known in enumerate(self.loops) if known.id == loop.id)
        self.loops[position] = loop

    def keep(self, thing: Any) -> None:
        """Keep a live object alive: its ``id()`` is in use as a key."""
        self._alive.append(thing)

    def freeze(
        self,
        sources: Sequence[Source],
        losses: Sequence[int],
        control_flow: ControlFlow,
        complete: bool = True,
    ) -> Snapshot:
        """The Snapshot. Depth is counted here, from the parents."""
        depth: dict[str, int] = {}
        loops = []
        for loop in self.loops:
            depth[loop.id] = 1 + (depth.get(loop.parent, 0) if loop.parent else 0)
            loops.append(replace(loop, depth=depth[loop.id]))
        return Snapshot(
            ops=tuple(self.ops),
            tensors=tuple(self.tensors),
            graphs=tuple(self.graphs),
            stacks=tuple(self._stacks),
            signatures=tuple(self._signatures),
            loops=tuple(loops),
            sources=tuple(sources),
            losses=tuple(losses),
            control_flow=control_flow,
            departures=tuple(self.departures),
            complete=complete,
            layers=tuple(self._layers),
        )
