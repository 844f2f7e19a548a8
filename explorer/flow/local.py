"""Why one op does not carry a gradient from an output back to an input."""

from __future__ import annotations

from explorer.model.graph import Op, Signature, Snapshot
from explorer.rules.ops import PYTHON, SHAPE_ONLY


def local_cause(snapshot: Snapshot, op: Op, signature: Signature, output: int, position: int) -> str:
    """The cause for the pair (output, input ``position``), which is known not to carry."""
    trainable_in = snapshot.tensors[op.inputs[position]].trainable
    trainable_out = snapshot.tensors[op.outputs[output]].trainable
    if op.type in PYTHON:
        seen = snapshot.cut(op.id, output, position)
        return seen.cause if seen is not None else "left_tensorflow"
    if op.type in SHAPE_ONLY:
        return "shape_only"
    if op.type in ("StopGradient", "PreventGradient"):
        return op.note or "stop_gradient"
    if op.type in ("IdentityN", "CustomGradient") and signature.rule == "ok":
        return "custom_gradient"  # the user's own rule gives nothing here
    if not trainable_out or not trainable_in:
        return "integer_dtype"  # before a missing rule: TensorFlow never looks for one where no gradient can arrive
    if signature.rule == "lookup":
        return "no_gradient_registered"
    return {"nondiff": "not_differentiable", "raises": "rule_raises", "opaque": "opaque"}.get(
        signature.rule, "rule_gives_zero" if position in signature.answers else "rule_returns_none"
    )
