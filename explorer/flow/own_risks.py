"""Own gradients, recomputed blocks and called functions whose backward pass is known to raise where they stand.

The place to edit is the user's function, not the line that calls it; the call is told in the sentence.
"""

from __future__ import annotations

from collections.abc import Iterator

from explorer.model.graph import Graph, GraphKind, Location, Op, Snapshot
from explorer.model.verdict import Risk

_RECOMPUTE_IN_LOOP = (
    "tf.recompute_grad inside a loop body captures a variable from outside, and its backward pass raises. Pass the "
    "variable's value as an argument, or apply tf.recompute_grad to the whole loop."
)
_RECOMPUTE_IN_BRANCH = (
    "tf.recompute_grad inside a branch captures a variable from outside, and its backward pass raises. Pass the "
    "variable's value as an argument, read outside the branch, or apply tf.recompute_grad to the whole tf.cond."
)
_OWN_IN_BRANCH = (
    "A function under @tf.custom_gradient reads a variable inside tf.cond, and its backward pass raises. Read the "
    "variable outside the branch and pass its value in."
)
_OWN_IN_LOOP = (
    "A gradient function under @tf.custom_gradient reads a variable inside a graph's loop, and the backward pass of "
    "the loop raises. Read the variable before the loop and pass its value in."
)
_CALL_IN_LOOP = (
    "XLA cannot compile the gradient of this tf.function in a loop: the backward pass of {op}{line} needs a constant, "
    "which the function hands on as a stored value. Drop @tf.function here, so that it becomes part of the loop's body."
)
_OPEN_SIGNATURE = (
    " Its input_signature also loses the static shape: {known} comes in as {kept}. (A static input_signature alone "
    "does not help.)"
)
_SAID = {
    ("recompute_grad", "body"): ("recompute_in_loop", _RECOMPUTE_IN_LOOP),
    ("recompute_grad", "branch"): ("own_gradient_in_branch", _RECOMPUTE_IN_BRANCH),
    ("reads_variable", "body"): ("own_gradient_in_loop", _OWN_IN_LOOP),
    ("reads_variable", "branch"): ("own_gradient_in_branch", _OWN_IN_BRANCH),
}
# Their gradients read an integer constant of the forward pass, such as the axis.
_CONSTANT_IN_GRADIENT = frozenset(
    {"ConcatV2", "Transpose", "Cumsum", "Cumprod", "ReverseV2", "Split", "SplitV", "Max", "Min", "Prod", "Roll", "Tile"}
)


def own_gradient_risk(snapshot: Snapshot, op: Op) -> Risk | None:
    """What is known of an own gradient: an IdentityN over the results and everything they were given."""
    if op.type != "IdentityN" or len(op.inputs) < 2 or snapshot.control_flow == "v1":
        return None
    cause, sentence = _SAID.get((op.note, _around(snapshot, op)), ("", ""))
    if not cause or not (op.reads or _given_variable(snapshot, op)):
        return None
    place = op.reads if op.note == "reads_variable" else op.written
    return Risk(
        cause, op.id, op.type, op.loop, place or snapshot.where(op.stack), _with_call(snapshot, op, sentence, place)
    )


def _around(snapshot: Snapshot, op: Op) -> GraphKind:
    """What runs the op; a called function counts as what calls it."""
    graph = snapshot.graphs[op.graph]
    while graph.kind == "call" and graph.op >= 0:
        graph = snapshot.graphs[snapshot.ops[graph.op].graph]
    return graph.kind


def _given_variable(snapshot: Snapshot, op: Op) -> bool:
    return any(snapshot.ops[snapshot.tensors[t].op].type == "ReadVariableOp" for t in op.inputs)


def _with_call(snapshot: Snapshot, op: Op, sentence: str, place: Location | None) -> str:
    called = snapshot.where(op.stack)
    if place is None or called is None or called.line == place.line:
        return sentence
    return f"{sentence} (It is called at line {called.line}.)"


def calls_in_loops(snapshot: Snapshot) -> Iterator[Risk]:
    """Calls in a loop of a tf.function that holds an op whose gradient reads a constant: XLA cannot compile them.

    The function hands the constant to its backward pass as a result, the loop stores it as a value of each iteration,
    and XLA does not know it any more. Without the call it is copied into the backward pass as a constant.
    """
    holders = {op.graph: op for op in snapshot.ops if _gradient_reads_constant(snapshot, op)}
    for graph in snapshot.graphs:
        op = snapshot.ops[graph.op] if graph.kind == "call" and graph.op >= 0 else None
        if op is None or not op.loop or op.written is None or graph.id not in holders:
            continue
        reading = holders[graph.id]
        at = snapshot.where(reading.stack)
        said = _CALL_IN_LOOP.format(op=reading.type, line=f" at line {at.line}" if at is not None else "")
        said = _with_call(snapshot, op, said + _lost_shape(snapshot, op, graph), op.written)
        yield Risk("xla_call_in_loop", op.id, op.type, op.loop, op.written, said)


def _gradient_reads_constant(snapshot: Snapshot, op: Op) -> bool:
    if op.type not in _CONSTANT_IN_GRADIENT or not any(snapshot.tensors[t].trainable for t in op.outputs):
        return False
    integers = [t for t in op.inputs if snapshot.tensors[t].dtype in ("int32", "int64")]
    return any(snapshot.ops[snapshot.tensors[t].op].type == "Const" for t in integers)


def _lost_shape(snapshot: Snapshot, op: Op, graph: Graph) -> str:
    """What to say where the caller knows a dimension that the function's own input_signature leaves open."""
    for given, seen in zip(op.inputs, graph.inputs, strict=False):
        known, kept = snapshot.tensors[given].shape, snapshot.tensors[seen].shape
        if known is not None and None not in known and (kept is None or None in kept):
            return _OPEN_SIGNATURE.format(known=list(known), kept="unknown" if kept is None else list(kept))
    return ""
