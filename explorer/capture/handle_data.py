"""Gives a reloaded graph back the handle data that it lost one loop down.

A SavedModel or an imported GraphDef with a loop in a loop gives exactly zero for a variable that the inner loop reads
(TensorFlow 2.21): the bodies are rebuilt from the function library without the handle data of what they capture, so
TensorFlow takes the variable's handle for something without a gradient. The cure is to keep the rebuilt bodies on
their ops and to hand the data down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tensorflow as tf

from explorer.capture import private
from explorer.capture.freeze import branch_graphs, called_graph
from explorer.rules.ops import BRANCHING, CALL, WHILE

_BODIES = (("body", "_body_graph"), ("cond", "_cond_graph"))


def restore_handle_data(graph: tf.Graph) -> None:
    """Hand down what each op of the graph knows of its resources to the bodies below it."""
    seen: list[tf.Graph] = []  # kept alive: a graph made later could have the id of one that is gone
    waiting = [graph]
    while waiting:
        top = waiting.pop()
        seen.append(top)
        for op in top.get_operations():
            for entering, body in _below(op):
                _hand_down(entering, body.inputs)
                if not any(body is known for known in seen):
                    waiting.append(body)


def _below(op: tf.Operation) -> Iterator[tuple[Sequence[tf.Tensor], private.FuncGraph]]:
    """The graphs that hang on an op, each with the tensors that enter it."""
    if op.type in WHILE:
        for attribute, pin in _BODIES:
            yield op.inputs, _pinned(op, attribute, pin)
    elif op.type in BRANCHING:
        for graph in branch_graphs(op):
            yield op.inputs[1:], graph
    elif op.type in CALL and (called := called_graph(op)) is not None:
        yield op.inputs, called


def _pinned(op: tf.Operation, attribute: str, pin: str) -> private.FuncGraph:
    found = private.pinned_graph(op, pin)
    if found is None:
        found = private.func_graph_of(op, [t.shape for t in op.inputs], op.get_attr(attribute).name)
        private.pin_graph(op, pin, found)
    return found


def _hand_down(entering: Sequence[tf.Tensor], inputs: Sequence[tf.Tensor]) -> None:
    for outer, inner in zip(entering, inputs, strict=False):
        if inner.dtype in (tf.resource, tf.variant) and private.element_dtype(inner) is None:
            private.copy_handle_data(outer, inner)
