"""Puts a tf.function's frozen graph below one call of it."""

from __future__ import annotations

from dataclasses import replace

from explorer.capture.builder import SnapshotBuilder
from explorer.model.graph import Loop, Op, Slot


def copy_call(source: SnapshotBuilder, target: SnapshotBuilder, call: Op) -> None:
    """Copy all graphs of ``source``, whose graph 0 is the function's own, below the op ``call`` of ``target``."""
    ops, tensors, graphs = len(target.ops), len(target.tensors), len(target.graphs)
    given = source.freeze((), (), "v2")
    loops = _new_loop_ids(given.loops, target, call.loop)

    def stack(number: int) -> int:
        frames = given.stacks[number] if number >= 0 else ()
        return target.stack(frames) if frames else call.stack

    def shifted(number: int, by: int) -> int:
        return number + by if number >= 0 else -1

    for tensor in given.tensors:
        target.tensors.append(replace(tensor, id=tensor.id + tensors, op=shifted(tensor.op, ops)))
    for op in given.ops:
        target.ops.append(
            replace(
                op,
                id=op.id + ops,
                graph=op.graph + graphs,
                loop=loops[op.loop],
                inputs=tuple(t + tensors for t in op.inputs),
                outputs=tuple(t + tensors for t in op.outputs),
                stack=stack(op.stack),
                signature=target.signature(given.signatures[op.signature]) if op.signature >= 0 else -1,
                turn=call.turn,
                layer=target.layer(given.layer(op)),
            )
        )
    for graph in given.graphs:
        target.graphs.append(
            replace(
                graph,
                id=graph.id + graphs,
                op=call.id if graph.op < 0 else graph.op + ops,
                inputs=tuple(t + tensors for t in graph.inputs),
                outputs=tuple(t + tensors for t in graph.outputs),
            )
        )
    for loop in given.loops:
        target.add_loop(
            replace(
                loop,
                id=loops[loop.id],
                parent=loops[loop.parent or ""] or None,
                stack=stack(loop.stack),
                op=shifted(loop.op, ops),
                slots=tuple(_slot(slot, tensors) for slot in loop.slots),
            )
        )


def _new_loop_ids(loops: tuple[Loop, ...], target: SnapshotBuilder, around: str) -> dict[str, str]:
    found = {"": around}
    for loop in loops:  # parents first
        parent = loop.parent or ""
        own = loop.id[len(parent) :].lstrip("/")
        found[loop.id] = target.loop_id(found[parent], own)
    return found


def _slot(slot: Slot, by: int) -> Slot:
    def shifted(tensor: int) -> int:
        return tensor + by if tensor >= 0 else -1

    return replace(
        slot,
        enters=shifted(slot.enters),
        inside=shifted(slot.inside),
        next=shifted(slot.next),
        leaves=shifted(slot.leaves),
    )
