"""Which function body belongs to which loop of a Snapshot: the traced graph, walked as the Snapshot's was walked."""

from __future__ import annotations

import tensorflow as tf

from explorer.capture import private
from explorer.capture.builder import SnapshotBuilder
from explorer.capture.freeze import branch_graphs, called_graph, loop_id_of, nested_graph
from explorer.rules.ops import BRANCHING, CALL, WHILE


def loop_bodies(graph: tf.Graph) -> dict[str, private.FuncGraph]:
    """The body of every loop by the loop's id; ask before anything is differentiated, which adds loops."""
    found: dict[str, private.FuncGraph] = {}
    _walk(graph, "", SnapshotBuilder(), found)
    return found


def _walk(graph: tf.Graph, loop: str, names: SnapshotBuilder, found: dict[str, private.FuncGraph]) -> None:
    for op in graph.get_operations():
        if op.type in WHILE:
            inside = loop_id_of(names, loop, op)
            found[inside] = nested_graph(op, "_body_graph", op.get_attr("body").name)
            for below in (found[inside], nested_graph(op, "_cond_graph", op.get_attr("cond").name)):
                _walk(below, inside, names, found)
        elif op.type in BRANCHING:
            for below in branch_graphs(op):
                _walk(below, loop, names, found)
        elif op.type in CALL and (called := called_graph(op)) is not None:
            _walk(called, loop, names, found)
