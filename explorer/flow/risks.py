"""Paths on which TensorFlow's own backward pass raises: certain ones (a missing rule) and known ones (its faults)."""

from __future__ import annotations

from collections.abc import Iterator

from explorer.flow.web import Edge, Web
from explorer.model.verdict import Risk

_LOUD_RULES = ("lookup", "raises")


def loud_ops(web: Web, whole: set[int]) -> list[Edge]:
    """Edges at which the backward pass raises: a gradient arrives there, and a source lies behind.

    TensorFlow visits an op if its output has a gradient and a path of trainable dtypes leads to it from a source;
    rules are not consulted for that.
    """
    sources = [s.tensor for s in web.snapshot.sources if s.tensor >= 0 and s.trainable]
    behind = _reached_by_dtype(web, sources)
    found: dict[int, Edge] = {}
    for edge in web.edges:
        if edge.carries or edge.before not in behind or edge.after not in whole or not web.trainable(edge.before):
            continue
        op = web.snapshot.ops[edge.op]
        rule = web.snapshot.signatures[op.signature].rule if op.signature >= 0 else "ok"
        if rule in _LOUD_RULES or op.type == "PreventGradient":
            found.setdefault(op.id, edge)
    return list(found.values())


def _reached_by_dtype(web: Web, sources: list[int]) -> set[int]:
    seen, stack = set(sources), list(sources)
    while stack:
        for number in web.out_of.get(stack.pop(), ()):
            node = web.edges[number].after
            if node not in seen and web.trainable(node):
                seen.add(node)
                stack.append(node)
    return seen


def risks(web: Web, whole: set[int]) -> Iterator[Risk]:
    """Ops on a whole path whose backward pass is known to raise or to mislead (TensorFlow 2.21)."""
    snapshot = web.snapshot
    for op in snapshot.ops:
        if op.type == "EagerPyFunc" and op.loop and any(t in whole for t in op.outputs):
            sentence = (
                "tf.py_function inside a graph loop: its backward pass raises KeyError, or gives zeros where the "
                "Python code used numpy. Use tf operations, or tf.numpy_function under @tf.custom_gradient."
            )
            yield Risk("left_tensorflow", op.id, op.type, op.loop, snapshot.where(op.stack), sentence)
