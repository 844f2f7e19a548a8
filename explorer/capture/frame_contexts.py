"""Gives the frames of an imported TF1 graph the contexts that a GraphDef does not hold.

Without them TensorFlow cannot differentiate such a loop (AttributeError: outer_context, TensorFlow 2.21), and nothing
tells which op is in which loop. What a WhileContext knows can be read off its frame: Enter ops begin it, Exit ops end
it, and what lies between is found by following the edges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from explorer.capture import private
from explorer.rules.ops import ENTER, EXIT, MERGE, SWITCH

Frame = tuple[str, ...]
"""The frames' names from the outermost inwards; empty outside all loops."""


def rebuild_contexts(graph: tf.Graph) -> None:
    """Put each op of the graph into the context of its loop."""
    operations = graph.get_operations()
    frames = frames_of(operations)
    contexts: dict[Frame, Any] = {(): None}
    with graph.as_default():
        for frame in sorted({f for f in frames.values() if f}, key=lambda f: (len(f), f)):
            inside = [op for op in operations if frames[op.name][: len(frame)] == frame]
            own = [op for op in inside if frames[op.name] == frame]
            contexts[frame] = private.rebuilt_while_context(frame[-1], contexts[frame[:-1]], _members(own, inside))
    for op in operations:
        if frames[op.name]:
            private.put_into_context(op, contexts[frames[op.name]])


def has_conditional_in_loop(graph: tf.Graph) -> bool:
    """Whether a TF1 cond lies inside a TF1 loop: of its context nothing is left in a GraphDef."""
    for op in graph.get_operations():
        if op.type in SWITCH and private.control_flow_context(op) is not None and not _decides_loop(op):
            return True
    return False


def frames_of(operations: Sequence[tf.Operation]) -> dict[str, Frame]:
    """The frame of each op by name. Enter and Exit count as inside, as TensorFlow has it."""
    readers: dict[str, list[tf.Operation]] = {op.name: [] for op in operations}
    for op in operations:
        for before in _before(op):
            readers[before.name].append(op)
    found: dict[str, Frame] = {op.name: () for op in operations}
    waiting = list(operations)
    while waiting:
        op = waiting.pop()
        frame = _frame(op, found)
        if len(frame) > len(found[op.name]):
            found[op.name] = frame
            waiting.extend(readers[op.name])
    return found


def _frame(op: tf.Operation, found: Mapping[str, Frame]) -> Frame:
    around = max((_after(before, found) for before in _before(op)), key=len, default=())
    return (*around, op.get_attr("frame_name").decode()) if op.type in ENTER else around


def _before(op: tf.Operation) -> list[tf.Operation]:
    return [*(t.op for t in op.inputs), *op.control_inputs]


def _after(op: tf.Operation, found: Mapping[str, Frame]) -> Frame:
    return found[op.name][:-1] if op.type in EXIT else found[op.name]


def _members(own: Sequence[tf.Operation], inside: Sequence[tf.Operation]) -> dict[str, Any]:
    """What the WhileContext of a frame knows; ``inside`` holds the ops of inner loops as well."""
    enters = [op for op in own if op.type in ENTER]
    carried = [op for op in enters if not op.get_attr("is_constant")]
    decision = next(op for op in own if op.type == "LoopCond")
    merges = [op for op in own if op.type in MERGE and op.inputs[0].op in carried]
    switch = next(op for op in merges[0].outputs[0].consumers() if op.type in SWITCH)
    body = next((op.outputs[0] for op in switch.outputs[1].consumers() if op.type == "Identity"), switch.outputs[1])
    return {
        "parallel_iterations": enters[0].get_attr("parallel_iterations"),
        "pivot": decision.outputs[0],
        "pivot_for_pred": merges[0].outputs[0],
        "pivot_for_body": body,
        "loop_enters": [op.outputs[0] for op in carried],
        "loop_exits": [op.outputs[0] for op in own if op.type in EXIT],
        "values": {t.name for op in inside for t in op.outputs},
        "external_values": {op.inputs[0].name: op.outputs[0] for op in enters if op.get_attr("is_constant")},
    }


def _decides_loop(switch: tf.Operation) -> bool:
    predicate = switch.inputs[1].op
    while predicate.type == "Identity":
        predicate = predicate.inputs[0].op
    return predicate.type == "LoopCond"
