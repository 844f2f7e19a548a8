"""Freezes a traced FuncGraph with all its nested bodies (control flow v2) into a SnapshotBuilder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import tensorflow as tf

from explorer.capture import private
from explorer.capture.builder import SnapshotBuilder
from explorer.capture.fold import Folder
from explorer.capture.layers import layer_of
from explorer.capture.lines import is_user_file, loop_api
from explorer.capture.loops import WhileParts, describe_loop
from explorer.capture.own_functions import is_recomputed, reads_of, written_for
from explorer.capture.signature import Signatures
from explorer.model.graph import GraphKind, Op
from explorer.rules.ops import BRANCHING, CALL, FRAME_OPS, WHILE

_NEVER_ASKED = frozenset({"Placeholder", "Const", "NoOp", "PlaceholderWithDefault"})
_BACK_PROP_FILES = frozenset({"while_v2.py", "while_loop.py", "functional_ops.py", "map_fn.py"})


@dataclass(frozen=True)
class Place:
    """Where a graph is frozen: the loop around it and the stack its ops inherit."""

    loop: str = ""
    stack: int = -1


@dataclass
class Freezer:
    """Walks live graphs; one Freezer per Snapshot.

    ``variables`` names variable handles by their ``id``; ``taped``: the graph whose ops a GradientTape
    records one by one (inside functions they are differentiated with the function).
    """

    builder: SnapshotBuilder
    variables: Mapping[int, str] = field(default_factory=dict)
    signatures: Signatures = field(default_factory=Signatures)
    folder: Folder = field(default_factory=Folder)
    taped: tf.Graph | None = None

    def graph(
        self,
        graph: tf.Graph,
        kind: GraphKind,
        op: int,
        place: Place,
        *,
        outputs: Sequence[tf.Tensor] | None = None,
        branch: int = 0,
    ) -> dict[int, int]:
        """Freeze one graph. Returns ``{id(tensor): tensor id}``; ``outputs`` default to the graph's own."""
        self.builder.keep(graph)
        graph_id = self.builder.reserve_graph()
        ids: dict[int, int] = {}
        live = graph.get_operations()
        op_ids = []
        # all tensors first: a graph that was differentiated is not in topological order any more
        for live_op in live:
            op_ids.append(self.builder.reserve_op())
            for tensor in live_op.outputs:
                ids[id(tensor)] = self.builder.add_live_tensor(op_ids[-1], tensor)
        for op_id, live_op in zip(op_ids, live, strict=True):
            self._op(op_id, live_op, graph_id, ids, place)
        inputs = [ids[id(t)] for t in getattr(graph, "inputs", ())]
        ends = outputs if outputs is not None else getattr(graph, "outputs", ())
        self.builder.set_graph(graph_id, kind, op, inputs, [ids[id(t)] for t in ends], branch)
        return ids

    def _op(self, op_id: int, op: tf.Operation, graph: int, ids: Mapping[int, int], place: Place) -> None:
        place = self.place_of(op, place)
        stack = self.builder.stack_of(op, place.stack)
        signature, taken = -1, None
        below = Place(place.loop, stack)
        if op.type in WHILE:
            self._while(op_id, op, ids, below)
        elif op.type in BRANCHING:
            taken = self._branches(op_id, op, below)
        elif op.type in CALL and (called := called_graph(op)) is not None:
            self._call(op_id, op, called, below)
        elif op.type not in _NEVER_ASKED and op.type not in FRAME_OPS and op.inputs and op.outputs:
            signature = self.builder.signature(self.signatures.of(op))
        self.builder.set_op(
            Op(
                id=op_id,
                type=op.type,
                name=op.name,
                graph=graph,
                loop=place.loop,
                inputs=tuple(ids[id(t)] for t in op.inputs),
                outputs=tuple(ids[id(t)] for t in op.outputs),
                stack=stack,
                signature=signature,
                note=self.note_of(op),
                taken=taken,
                layer=self.builder.layer(layer_of(op)),
                written=written_for(op),
                reads=reads_of(op),
            )
        )

    def place_of(self, op: tf.Operation, place: Place) -> Place:
        """Where an op belongs; in a FuncGraph, to the loop whose body the graph is."""
        return place

    def note_of(self, op: tf.Operation) -> str:
        """What the op's type does not tell: who made a StopGradient, what an own gradient is made of."""
        if op.type == "StopGradient" and _made_by_loop_code(op):
            return "back_prop_false"
        if op.type == "EagerPyFunc":
            return str(op.get_attr("token").decode())
        return _own_gradient_note(op) if op.type == "IdentityN" else ""

    def _while(self, op_id: int, op: tf.Operation, ids: Mapping[int, int], place: Place) -> None:
        body = nested_graph(op, "_body_graph", op.get_attr("body").name)
        cond = nested_graph(op, "_cond_graph", op.get_attr("cond").name)
        loop_id = loop_id_of(self.builder, place.loop, op)
        entering = [self.folder.value(t) for t in op.inputs]
        enters, trips = self.folder.trips(entering, (cond.inputs, cond.outputs[0]), (body.inputs, body.outputs))
        for k, tensor in enumerate(body.inputs):
            invariant = k < len(body.outputs) and source_of(body.outputs[k]) is tensor
            self.folder.learn(tensor, entering[k] if invariant else None)
        parts = WhileParts(
            op, body, cond, enters, trips, loop_api(private.all_frames(op)), self.variables, op.graph is self.taped
        )
        position = len(self.builder.loops)
        self.builder.add_loop(describe_loop(parts, op_id, loop_id, place.loop, place.stack, ids, None))
        inside = Place(loop_id, place.stack)
        body_ids = self.graph(body, "body", op_id, inside)
        self.graph(cond, "cond", op_id, inside)
        self.builder.loops[position] = describe_loop(parts, op_id, loop_id, place.loop, place.stack, ids, body_ids)

    def _branches(self, op_id: int, op: tf.Operation, place: Place) -> int | None:
        graphs = branch_graphs(op)
        chosen = self.folder.value(op.inputs[0])
        taken = None
        if chosen is not None:
            is_if = op.type.endswith("If")
            taken = (0 if chosen else 1) if is_if else int(chosen)
            taken = taken if 0 <= taken < len(graphs) else len(graphs) - 1
        for branch, graph in enumerate(graphs):
            for k, tensor in enumerate(graph.inputs):
                self.folder.learn(tensor, self.folder.value(op.inputs[k + 1]))
            self.graph(graph, "branch", op_id, place, branch=branch)
        return taken

    def _call(self, op_id: int, op: tf.Operation, graph: private.FuncGraph, place: Place) -> None:
        for k, tensor in enumerate(graph.inputs):
            self.folder.learn(tensor, self.folder.value(op.inputs[k]))
        self.graph(graph, "call", op_id, place)


def loop_id_of(builder: SnapshotBuilder, parent: str, op: tf.Operation) -> str:
    """The id of the loop that a While op makes."""
    return builder.loop_id(parent, op.name.replace("/", "."))


def called_graph(op: tf.Operation) -> private.FuncGraph | None:
    """The body of a call; None where the call has a gradient of its own, or its function is not known here."""
    return None if _has_own_gradient(op) else private.function_graph(op, op.get_attr("f").name)


def nested_graph(op: tf.Operation, attribute: str, name: str) -> private.FuncGraph:
    """A body that hangs on an op: the one TensorFlow pinned there, else rebuilt from the function library."""
    pinned = private.pinned_graph(op, attribute)
    return pinned if pinned is not None else private.func_graph_of(op, [t.shape for t in op.inputs], name)


def branch_graphs(op: tf.Operation) -> list[private.FuncGraph]:
    """The branches of an If or Case. (``cond_v2.get_func_graphs`` would reset the captures.)"""
    if op.type.endswith("If"):
        names = [("_true_graph", op.get_attr("then_branch").name), ("_false_graph", op.get_attr("else_branch").name)]
    else:
        names = [(f"_branch_graph_{k}", b.name) for k, b in enumerate(op.get_attr("branches"))]
    shapes = [t.shape for t in op.inputs[1:]]
    found = []
    for attribute, name in names:
        pinned = private.pinned_graph(op, attribute)
        found.append(pinned if pinned is not None else private.func_graph_of(op, shapes, name))
    return found


def source_of(tensor: tf.Tensor) -> tf.Tensor:
    """The tensor behind a chain of Identity ops."""
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor


def _has_own_gradient(op: tf.Operation) -> bool:
    try:
        op.get_attr("_gradient_op_type")
    except ValueError:
        return False
    return True


def _made_by_loop_code(op: tf.Operation) -> bool:
    """``back_prop=False`` puts a StopGradient on a loop's outputs, made by TensorFlow's code, not by the user's."""
    for frame in reversed(private.all_frames(op)):
        if is_user_file(frame.filename):
            return False
        if os.path.basename(frame.filename) in _BACK_PROP_FILES:
            return True
    return False


def _own_gradient_note(op: tf.Operation) -> str:
    """Custom gradients whose backward pass is known to raise in some places (``explorer.flow.risks``)."""
    if is_recomputed(op):
        return "recompute_grad"
    return "reads_variable" if reads_of(op) is not None else ""
