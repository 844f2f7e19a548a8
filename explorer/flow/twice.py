"""TF1 loops that ``tf.gradients`` made and that are differentiated once more: TensorFlow raises TypeError.

TensorFlow refuses at an Exit of a backward loop (``_ExitGrad`` in its control_flow_grad.py). It names no line of the
loop that was differentiated twice; that loop is found over the trip count which it hands to its backward loop.
"""

from __future__ import annotations

from explorer.flow.risks import behind
from explorer.flow.web import Web
from explorer.model.graph import Location, Op, Snapshot
from explorer.model.verdict import Risk
from explorer.rules.causes import remedy
from explorer.rules.ops import ENTER, EXIT, FRAME_OPS

_COUNT = "b_count"  # TensorFlow's name for the trip count as a backward loop is given it


def loops_twice(web: Web, arrived: set[int]) -> list[Risk]:
    """One risk for each forward loop whose backward loop a gradient reaches, with the forward loop's line."""
    snapshot = web.snapshot
    forward = _differentiated(snapshot)
    if not forward:
        return []
    reachable = behind(web)
    found: dict[str, Risk] = {}
    for op in snapshot.ops:
        refused = op.type in EXIT and op.loop in forward and op.outputs[0] in arrived and op.inputs[0] in reachable
        if refused and op.loop not in found:
            found[op.loop] = Risk(
                "second_order_tf1_loop", op.id, op.type, op.loop, _place(snapshot, forward[op.loop], op),
                "TF1 control flow: this loop is differentiated twice, and TensorFlow raises TypeError: second-order "
                f"gradients for while loops are not supported. {remedy('second_order_tf1_loop')}",
            )  # fmt: skip
    return list(found.values())


def _differentiated(snapshot: Snapshot) -> dict[str, str]:
    """The loop that each backward loop belongs to, "" where that cannot be told."""
    found: dict[str, str] = {}
    for op in snapshot.ops:
        if op.type in ENTER and op.loop and op.name.rsplit("/", 1)[-1].startswith(_COUNT):
            count = snapshot.ops[snapshot.tensors[op.inputs[0]].op]
            found[op.loop] = count.loop if count.type in FRAME_OPS else ""
    return found


def _place(snapshot: Snapshot, forward: str, op: Op) -> Location | None:
    loop = snapshot.loop(forward)
    return (snapshot.where(loop.stack) if loop is not None else None) or snapshot.where(op.stack)
