"""A TF1 TensorArray may be written once per index: where the index that fails was used before."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tensorflow as tf

from explorer.capture import private
from explorer.capture.lines import user_stack
from explorer.model.graph import Location, Snapshot
from explorer.model.verdict import Risk

_USED = re.compile(
    r"Could not (write|read)(?: to TensorArray)? index (\d+) (?:because it has already been (\w+)|twice)"
)
_WRITES = frozenset({"TensorArrayWriteV3", "TensorArrayScatterV3", "TensorArraySplitV3"})
_READS = frozenset({"TensorArrayReadV3", "TensorArrayGatherV3", "TensorArrayConcatV3"})
_HANDING_ON = frozenset({"Identity", "Enter", "Exit", "Switch", "Merge", "NextIteration"})


def earlier_uses(error: Exception, snapshot: Snapshot) -> Iterator[Risk]:
    """A warning for every op that may have written (or read) the index first, from the error of the second one."""
    second, found = getattr(error, "op", None), _USED.search(str(error))
    if second is None or found is None:
        return
    does, index, was = found[1], int(found[2]), found[3] or "read"
    ids = {op.name: op for op in snapshot.ops}
    for op in second.graph.get_operations():
        first = op is not second and op.type in (_WRITES if was == "written" else _READS)
        if first and op.name in ids and _same_array(op, second) and _may_use(op, index) and not _after(op, second):
            known, where = ids[op.name], _line(op)
            yield Risk("used_twice", known.id, op.type, known.loop, where, _told(does, was, index, _line(second)))


def _told(does: str, was: str, index: int, second: Location | None) -> str:
    again = f"line {second.line}" if second else "another op"
    return (
        f"Index {index} of the TensorArray is {was} here first, and {again} wants to {does} it again, which TF1 "
        "refuses. Use another index here, or keep the value in a tensor of its own."
    )


def _line(op: tf.Operation) -> Location | None:
    stack = user_stack(private.user_frames(op))
    return stack[0] if stack else None


def _same_array(one: tf.Operation, other: tf.Operation) -> bool:
    return _behind(one.inputs[0]) is _behind(other.inputs[0])


def _behind(tensor: tf.Tensor) -> tf.Tensor:
    """The tensor that ops of loops and branches hand on."""
    seen: set[int] = set()
    while tensor.op.type in _HANDING_ON and id(tensor) not in seen:
        seen.add(id(tensor))
        tensor = tensor.op.inputs[0]
    return tensor


def _after(op: tf.Operation, other: tf.Operation) -> bool:
    """Whether ``op`` needs a result of ``other`` within one iteration."""
    seen, stack = {id(op)}, [op]
    while stack:
        for before in [t.op for t in stack.pop().inputs]:
            if before is other:
                return True
            if before.type != "NextIteration" and id(before) not in seen:
                seen.add(id(before))
                stack.append(before)
    return False


def _may_use(op: tf.Operation, index: int) -> bool:
    """Whether the op's index is this one, as far as it is known before the run; a loop's counter is not."""
    source = op.inputs[1]
    while source.op.type in ("Identity", "Enter"):
        source = source.op.inputs[0]
    value = tf.get_static_value(source) if op.type in ("TensorArrayWriteV3", "TensorArrayReadV3") else None
    return value is None or int(value) == index
