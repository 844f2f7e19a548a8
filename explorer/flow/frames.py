"""TF1 control flow: Enter, Exit, Switch, Merge, NextIteration hand values on; LoopCond and predicates decide."""

from __future__ import annotations

from collections.abc import Iterator

from explorer.model.graph import Op
from explorer.rules.ops import EXIT, MERGE, SWITCH


def links(op: Op) -> Iterator[tuple[int, int, int, str | None]]:
    """``(before, after, input, cause)`` for each edge through one op of a frame."""
    if op.type in SWITCH:
        for output in op.outputs:
            yield op.inputs[0], output, 0, None
            yield op.inputs[1], output, 1, "condition_only"
    elif op.type in MERGE:
        for k, given in enumerate(op.inputs):
            yield given, op.outputs[0], k, None
    elif op.type in EXIT:
        yield op.inputs[0], op.outputs[0], 0, op.note or None
    elif op.type == "LoopCond":
        yield op.inputs[0], op.outputs[0], 0, "condition_only"
    else:
        yield op.inputs[0], op.outputs[0], 0, None
