"""Paths on which TensorFlow's own backward pass raises: certain ones (a missing rule) and known ones (its faults)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from explorer.flow.own_risks import calls_in_loops, own_gradient_risk
from explorer.flow.web import Edge, Web
from explorer.model.graph import Loop, Op, Snapshot, Source
from explorer.model.verdict import Risk
from explorer.rules.ops import ENTER

_LOUD_RULES = ("lookup", "raises")
_MADE_IN_GRAPH = ("VarHandleOp", "VariableV2", "Variable")


def loud_ops(web: Web, arrived: set[int]) -> list[Edge]:
    """Edges at which the backward pass raises: a gradient arrives there, zeros count, and a source lies behind.

    TensorFlow visits an op if its output has a gradient and a path of trainable dtypes leads to it from a source;
    rules are not consulted for that. Inside a body, whatever the body is given counts as a source, and what never runs
    is differentiated all the same.
    """
    reachable = behind(web)
    found: dict[int, Edge] = {}
    for edge in web.edges:
        if edge.carries or edge.before not in reachable or edge.after not in arrived or not web.trainable(edge.before):
            continue
        op = web.snapshot.ops[edge.op]
        rule = web.snapshot.signatures[op.signature].rule if op.signature >= 0 else "ok"
        if rule in _LOUD_RULES or op.type == "PreventGradient":
            found.setdefault(op.id, edge)
    return list(found.values())


def behind(web: Web) -> set[int]:
    """What depends on a source over tensors of trainable dtype. Parents have smaller ids than the bodies they run."""
    snapshot = web.snapshot
    found: set[int] = set()
    _spread(web, found, [s.tensor for s in snapshot.sources if s.tensor >= 0 and (s.trainable or _asked(snapshot, s))])
    for graph in snapshot.graphs:
        if graph.op >= 0 and graph.kind != "cond" and any(t in found for t in snapshot.ops[graph.op].inputs):
            _spread(web, found, [t for t in graph.inputs if web.trainable(t)])
    return found


def _asked(snapshot: Snapshot, source: Source) -> bool:
    """``tf.gradients`` in a TF1 graph is asked for every variable; a tape does not watch one that is not trainable."""
    tensor = snapshot.tensors[source.tensor]
    made_in_graph = snapshot.control_flow != "eager" and snapshot.ops[tensor.op].type in _MADE_IN_GRAPH
    return source.kind == "variable" and tensor.trainable and made_in_graph


def _spread(web: Web, seen: set[int], seeds: list[int]) -> None:
    stack = [node for node in seeds if node not in seen]
    seen.update(stack)
    while stack:
        for number in web.out_of.get(stack.pop(), ()):
            node = web.edges[number].after
            if node not in seen and web.trainable(node):
                seen.add(node)
                stack.append(node)


def risks(web: Web, whole: set[int]) -> Iterator[Risk]:
    """Ops and loops on the way whose backward pass is known to raise or to mislead (TensorFlow 2.21)."""
    snapshot = web.snapshot
    for op in snapshot.ops:
        if not any(web.trainable(t) for t in op.outputs):
            continue
        for cause, applies, sentence in _OP_RISKS:
            if applies(snapshot, op):
                yield Risk(cause, op.id, op.type, op.loop, snapshot.where(op.stack), sentence)
        own = own_gradient_risk(snapshot, op)
        if own is not None:
            yield own
    for loop in snapshot.loops:
        for cause, found, sentence in (
            ("vectorized_loop", _vectorized(loop), _VECTORIZED),
            ("endless_loop", _endless(web, loop), _ENDLESS),
        ):
            if found:
                yield Risk(cause, loop.op, loop.kind, loop.id, snapshot.where(loop.stack), sentence)


def _python_in_graph(snapshot: Snapshot, op: Op) -> bool:
    return op.type == "EagerPyFunc" and snapshot.control_flow != "eager"


def _same_tensor_twice(snapshot: Snapshot, op: Op) -> bool:
    if op.type not in ("AddV2", "Add") or not op.loop or snapshot.control_flow != "v1":
        return False
    return op.inputs[0] == op.inputs[1] and snapshot.ops[snapshot.tensors[op.inputs[0]].op].type not in ENTER


def _vectorized(loop: Loop) -> bool:
    return loop.api == "vectorized_map" and loop.kind in ("While", "StatelessWhile")


def _endless(web: Web, loop: Loop) -> bool:
    """Whether the condition reads only what no iteration changes."""
    condition = next((g for g in web.snapshot.graphs if g.kind == "cond" and g.op == loop.op), None)
    if loop.op < 0 or condition is None or loop.enters is False:
        return False
    read = web.reach(condition.outputs, forward=False, carrying=False)
    slots = [slot for slot, seen in zip(loop.slots, condition.inputs, strict=True) if seen in read]
    return all(slot.role in ("invariant", "limit") for slot in slots)


_OP_RISKS: tuple[tuple[str, Callable[[Snapshot, Op], bool], str], ...] = (
    (
        "left_tensorflow",
        _python_in_graph,
        "tf.py_function in a graph: TensorFlow cannot look inside. Where its Python code leaves TensorFlow (numpy), "
        "the gradient is zeros without a word; inside a loop the backward pass raises KeyError. Use tf operations, "
        "or tf.numpy_function under @tf.custom_gradient.",
    ),
    (
        "same_tensor_twice",
        _same_tensor_twice,
        "TF1 control flow: x + x in a loop leaves a constant gradient inside the loop, and the run fails. Write 2 * x.",
    ),
)
_ENDLESS = (
    "This loop never ends once it has begun: its condition reads only values that the body hands on unchanged. Return "
    "the changed value from the body."
)
_VECTORIZED = (
    "vectorized_map over a loop: where shapes are open, its gradient raises while it is built. Give every dimension a "
    "size, use tf.map_fn, or fold the outer dimension into the batch."
)


def xla_risks(snapshot: Snapshot) -> list[Risk]:
    """What XLA is known to refuse while it compiles the backward pass (TensorFlow 2.21)."""
    return [*unbounded_loops(snapshot), *calls_in_loops(snapshot)]


def unbounded_loops(snapshot: Snapshot) -> list[Risk]:
    """Loops that XLA cannot differentiate where the backward pass must store values: no bound on the iterations."""
    sentence = (
        "XLA must know how many values the backward pass stores: give the loop maximum_iterations as a Python int."
    )
    return [
        Risk("xla_unbounded_loop", loop.op, loop.kind, loop.id, snapshot.where(loop.stack), sentence)
        for loop in snapshot.loops
        if loop.maximum_iterations is None
    ]
