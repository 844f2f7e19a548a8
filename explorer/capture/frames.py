"""TF1 control flow: finds the loops among the frames of a flat graph, and freezes the graph with them.

A TF1 loop is a ``WhileContext``; its variables are Merge ops fed by an Enter and a NextIteration, its captures are
constant Enters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import tensorflow as tf

from explorer.capture import private
from explorer.capture.builder import SnapshotBuilder, shape_of
from explorer.capture.freeze import Freezer, Place, source_of
from explorer.capture.lines import loop_api, user_stack
from explorer.capture.names import NOTED
from explorer.capture.signature import Signatures
from explorer.capture.signature_tf1 import ask_in_copy
from explorer.model.graph import Loop, Role, Slot
from explorer.rules.ops import ENTER, EXIT, MERGE, NEXT_ITERATION, SWITCH


@dataclass
class FrameFreezer(Freezer):
    """A Freezer that knows which frame each op of the flat graph belongs to."""

    signatures: Signatures = field(default_factory=lambda: Signatures(ask_in_copy))
    loop_of_context: dict[int, str] = field(default_factory=dict)

    def place_of(self, op: tf.Operation, place: Place) -> Place:
        """The innermost frame around the op."""
        context = while_context(op)
        return place if context is None else Place(self.loop_of_context[id(context)], place.stack)

    def note_of(self, op: tf.Operation) -> str:
        """``back_prop=False`` is kept on the Exit's context and is not in the GraphDef."""
        if op.type in EXIT:
            context = private.control_flow_context(op)
            return "" if getattr(context, "back_prop", True) else "back_prop_false"
        return super().note_of(op)


def freeze_frames(
    builder: SnapshotBuilder, graph: tf.Graph, outputs: Sequence[tf.Tensor], variables: Mapping[int, str]
) -> dict[int, int]:
    """Freeze a TF1 graph. Returns ``{id(tensor): tensor id}``."""
    contexts = _contexts(graph)
    freezer = FrameFreezer(builder, variables, loop_of_context=_name_loops(builder, contexts))
    position = len(builder.loops)
    ids = freezer.graph(graph, "root", -1, Place(), outputs=outputs)
    members: dict[int, list[tf.Operation]] = {id(c): [] for c in contexts}
    for op in graph.get_operations():
        context = while_context(op)
        if context is not None:
            members[id(context)].append(op)
    for context in contexts:
        loop = _describe(context, members[id(context)], freezer, ids)
        builder.loops.insert(position, loop)
        position += 1
    return ids


def loop_ids(graph: tf.Graph) -> dict[str, str]:
    """The ids that the loops of a TF1 graph have in its Snapshot, by the name of their context."""
    contexts = _contexts(graph)
    names = _name_loops(SnapshotBuilder(), contexts)
    return {str(context.name): names[id(context)] for context in contexts}


def _name_loops(builder: SnapshotBuilder, contexts: Sequence[private.WhileContext]) -> dict[int, str]:
    found: dict[int, str] = {}
    for context in contexts:
        parent = found.get(id(enclosing(context)), "")
        name = str(context.name).removesuffix("/while_context").removesuffix("while_context").strip("/")
        found[id(context)] = builder.loop_id(parent, _short(name, parent))
        builder.keep(context)
    return found


def while_context(op: tf.Operation) -> private.WhileContext | None:
    """The innermost TF1 loop around an op (tf.cond contexts are passed through)."""
    context = private.control_flow_context(op)
    while context is not None and not isinstance(context, private.WhileContext):
        context = context.outer_context
    return context


def enclosing(context: private.WhileContext) -> private.WhileContext | None:
    """The TF1 loop around a loop."""
    outer = context.outer_context
    while outer is not None and not isinstance(outer, private.WhileContext):
        outer = outer.outer_context
    return outer


def _contexts(graph: tf.Graph) -> list[private.WhileContext]:
    """All loops of the graph, outer ones first."""
    found: dict[int, private.WhileContext] = {}
    for op in graph.get_operations():
        context = while_context(op)
        while context is not None and id(context) not in found:
            found[id(context)] = context
            context = enclosing(context)

    def depth(context: private.WhileContext) -> int:
        outer = enclosing(context)
        return 0 if outer is None else 1 + depth(outer)

    return sorted(found.values(), key=depth)


def _short(name: str, parent: str) -> str:
    """The part of the scope name that the enclosing loop's does not say already."""
    plain = name.replace("/", ".")
    outer = parent.rsplit("/", 1)[-1]
    return plain.removeprefix(outer + ".") if outer else plain


def _describe(
    context: private.WhileContext, members: list[tf.Operation], freezer: FrameFreezer, ids: Mapping[int, int]
) -> Loop:
    merges = [op for op in members if op.type in MERGE and _next_iteration(op) is not None]
    constant = [op for op in members if op.type in ENTER and op.get_attr("is_constant")]
    names = getattr(context, NOTED, [])
    slots = [_slot(k, op, names, ids) for k, op in enumerate(merges)]
    slots += [_captured(len(slots) + k, op, freezer, ids) for k, op in enumerate(constant)]
    loop_id = freezer.loop_of_context[id(context)]
    frames = private.all_frames(merges[0]) if merges else []
    enters = _runs_at_least_once(merges, members, freezer)
    limit = context.maximum_iterations
    static = tf.get_static_value(limit) if limit is not None and tf.is_tensor(limit) else limit
    return Loop(
        id=loop_id,
        parent=loop_id.rpartition("/")[0] or None,
        depth=0,
        kind="frame",
        api=loop_api(frames),
        stack=freezer.builder.stack(user_stack(private.user_frames(merges[0]) if merges else [])),
        op=-1,
        slots=tuple(slots),
        maximum_iterations=None if static is None else int(static),
        parallel_iterations=context.parallel_iterations,
        enters=enters,
    )


def _runs_at_least_once(
    merges: Sequence[tf.Operation], members: Sequence[tf.Operation], freezer: FrameFreezer
) -> bool | None:
    """The loop's condition on the values it starts with; None where they are not constants."""
    decision = next((op for op in members if op.type == "LoopCond"), None)
    if decision is None:
        return None
    start = {id(m.outputs[0]): freezer.folder.value(m.inputs[0].op.inputs[0]) for m in merges}
    start |= {
        id(op.outputs[0]): freezer.folder.value(op.inputs[0])
        for op in members
        if op.type in ENTER and op.get_attr("is_constant")
    }
    goes_on = freezer.folder.value(decision.inputs[0], {k: v for k, v in start.items() if v is not None})
    return None if goes_on is None else bool(goes_on)


def _next_iteration(merge: tf.Operation) -> tf.Operation | None:
    back = merge.inputs[1].op if len(merge.inputs) == 2 else None
    return back if back is not None and back.type in NEXT_ITERATION else None


def _slot(k: int, merge: tf.Operation, names: Sequence[str], ids: Mapping[int, int]) -> Slot:
    enter, back = merge.inputs[0].op, _next_iteration(merge)
    assert back is not None
    switch = next((op for op in merge.outputs[0].consumers() if op.type in SWITCH), None)
    inside = switch.outputs[1] if switch is not None else merge.outputs[0]
    leaving = next((op for op in switch.outputs[0].consumers() if op.type in EXIT), None) if switch else None
    return Slot(
        index=k,
        name=names[k] if k < len(names) else merge.name.rsplit("/", 1)[-1],
        role=_role(inside, back.inputs[0]),
        dtype=merge.outputs[0].dtype.base_dtype.name,
        shape=shape_of(merge.outputs[0].shape),
        enters=ids[id(enter.inputs[0])],
        inside=ids[id(inside)],
        next=ids[id(back.inputs[0])],
        leaves=ids[id(leaving.outputs[0])] if leaving is not None else -1,
    )


def _role(inside: tf.Tensor, following: tf.Tensor) -> Role:
    behind = source_of(following)
    if behind is inside:
        return "invariant"
    if any("TensorArray" in op.type for op in (following.op, *(t.op for t in following.op.inputs))):
        return "accumulator"
    counts = behind.op.type in ("AddV2", "Add") and any(source_of(i) is inside for i in behind.op.inputs)
    return "counter" if counts and inside.dtype.is_integer else "state"


def _captured(k: int, enter: tf.Operation, freezer: FrameFreezer, ids: Mapping[int, int]) -> Slot:
    outer, inner = enter.inputs[0], enter.outputs[0]
    behind = outer
    while behind.op.type in (*ENTER, "Identity", "ReadVariableOp") and behind.op.inputs:
        behind = behind.op.inputs[0]
    name = freezer.variables.get(id(behind), behind.op.name.rsplit("/", 1)[-1])
    seen = ids[id(inner)]
    shape = shape_of(inner.shape)
    return Slot(k, name, "invariant", inner.dtype.base_dtype.name, shape, ids[id(outer)], seen, seen, -1)
