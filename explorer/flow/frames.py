"""TF1 control flow: Enter, Exit, Switch, Merge, NextIteration hand values on; LoopCond and predicates decide."""

from __future__ import annotations

from collections.abc import Iterator

from explorer.model.graph import Op, Slot, Snapshot
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


def sure_switches(snapshot: Snapshot) -> dict[int, Slot]:
    """The Switch op of each loop variable whose loop is known to run: its initial value never leaves as it came."""
    return {
        snapshot.tensors[slot.inside].op: slot
        for loop in snapshot.loops
        if loop.kind == "frame" and loop.enters is True
        for slot in loop.slots
        if slot.role != "invariant" and snapshot.ops[snapshot.tensors[slot.inside].op].type in SWITCH
    }


def sure_links(op: Op, slot: Slot) -> Iterator[tuple[int, int, int, str | None]]:
    """The edges of such a Switch: what leaves the loop comes from an iteration, not from before the loop."""
    leaving, inside = op.outputs
    yield op.inputs[0], inside, 0, None
    yield slot.next, leaving, 0, None
    yield slot.enters, leaving, 0, "replaced_each_iteration"
    for output in op.outputs:
        yield op.inputs[1], output, 1, "condition_only"
