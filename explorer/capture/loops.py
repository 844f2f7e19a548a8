"""Describes a While op as a Loop: its slots with role and name, its trips, the API that made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import tensorflow as tf

from explorer.capture import private
from explorer.capture.builder import shape_of
from explorer.capture.names import BUILT_WITH, NOTED
from explorer.model.graph import Loop, Role, Slot


@dataclass(frozen=True)
class WhileParts:
    """A live While op, its graphs, what is known of its trips; ``variables`` names handles by ``id``;
    ``taped``: a tape recorded the op when it was built."""

    op: tf.Operation
    body: private.FuncGraph
    cond: private.FuncGraph
    enters: bool | None
    trips: int | None
    api: str
    variables: Mapping[int, str]
    taped: bool


def describe_loop(
    parts: WhileParts,
    op_id: int,
    loop_id: str,
    parent: str,
    stack: int,
    outside: Mapping[int, int],
    inside: Mapping[int, int] | None,
) -> Loop:
    """The Loop. ``outside`` and ``inside`` map live tensors to ids; ``inside`` is None before the body is frozen."""
    op = parts.op
    limit = tf.get_static_value(op.inputs[1])
    return Loop(
        id=loop_id,
        parent=parent or None,
        depth=0,
        kind=op.type,
        api=parts.api,
        stack=stack,
        op=op_id,
        slots=tuple(_slot(parts, k, outside, inside) for k in range(len(op.inputs))),
        trips_static=parts.trips,
        maximum_iterations=int(limit) if limit is not None and int(limit) >= 0 else None,
        parallel_iterations=op.get_attr("parallel_iterations"),
        enters=parts.enters,
    )


def _slot(parts: WhileParts, k: int, outside: Mapping[int, int], inside: Mapping[int, int] | None) -> Slot:
    op, body = parts.op, parts.body
    entering, seen = op.inputs[k], body.inputs[k]
    following = body.outputs[k] if k < len(body.outputs) else seen
    find = (lambda t: inside.get(id(t), -1)) if inside is not None else (lambda t: -1)
    return Slot(
        index=k,
        name=_name(parts, k),
        role=role_of(k, seen, following),
        dtype=seen.dtype.base_dtype.name,
        shape=shape_of(seen.shape),
        enters=outside[id(entering)],
        inside=find(seen),
        next=find(following),
        leaves=outside[id(op.outputs[k])] if k < len(op.outputs) else -1,
        lost=entering.dtype == tf.resource and not private.supports_default_grad(entering),
        late=parts.taped and k >= getattr(body, BUILT_WITH, k + 1),
    )


def _name(parts: WhileParts, k: int) -> str:
    """The name the user gave: the body's parameter where it was recorded, else the captured variable or tensor."""
    names = getattr(parts.body, NOTED, ())
    if k < len(names):
        return names[k]
    entering = parts.op.inputs[k]
    while entering.op.type in ("Identity", "ReadVariableOp", "Enter") and entering.op.inputs:
        entering = entering.op.inputs[0]
    name = parts.variables.get(id(_outermost(entering)))
    return name or parts.body.inputs[k].op.name.rsplit("/", 1)[-1]


def _outermost(tensor: tf.Tensor) -> tf.Tensor:
    """What a captured placeholder stands for, followed outwards through all enclosing graphs."""
    graph = tensor.graph if not isinstance(tensor, private.EagerTensor) else None
    while isinstance(graph, private.FuncGraph):
        outer = next((external for external, internal in graph.captures if internal is tensor), None)
        if outer is None or isinstance(outer, private.EagerTensor):
            return tensor if outer is None else outer
        tensor, graph = outer, outer.graph
    return tensor


def role_of(k: int, seen: tf.Tensor, following: tf.Tensor) -> Role:
    """What loop variable ``k`` is for: ``seen`` is what the body gets, ``following`` what it hands on."""
    if k == 0:
        return "counter"
    if k == 1:
        return "limit"
    behind = following
    while behind.op.type == "Identity":
        behind = behind.op.inputs[0]
    if behind is seen:
        return "invariant"
    if seen.dtype == tf.variant:
        return "accumulator"
    if seen.dtype.is_integer and seen.shape.rank == 0 and _counts(behind, seen):
        return "counter"
    return "state"


def _counts(following: tf.Tensor, seen: tf.Tensor) -> bool:
    """Whether the next value is the old one plus a constant."""
    op = following.op
    return op.type in ("AddV2", "Add", "Sub") and any(i is seen for i in op.inputs) and any(
        i.op.type == "Const" for i in op.inputs
    )  # fmt: skip
