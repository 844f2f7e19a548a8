"""Local signatures: TensorFlow's own registry is asked what one op's gradient depends on.

The rule is called on the ORIGINAL op, inside a scratch FuncGraph created below the op's graph, with placeholders as
incoming gradients: custom-gradient closures, constants and handle data then work, and the original graph stays as it
is. TF1 graphs are the exception (see ``explorer.capture.signature_tf1``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow as tf

from explorer.capture import private
from explorer.capture.remembered import REMEMBERED
from explorer.model.graph import Signature

# A gradient that goes through one of these does not depend on the incoming gradient any more, only on its shape.
VALUE_FREE = frozenset(
    {"Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike", "VariableShape", "TensorListLength"}
)
# Rules that multiply by zeros inside a kernel or by constants, where asking cannot see it (TensorFlow 2.21).
_ALWAYS_ZERO: dict[str, frozenset[int]] = {
    "NextAfter": frozenset({1}),  # d/dx2 is zeros * grad
    "QuantizeAndDequantizeV2": frozenset({1, 2}),  # min and max: zero in the kernel
    "QuantizeAndDequantizeV3": frozenset({1, 2}),
}
# These ask user code or need values; the answer is not in the registry.
_OPAQUE = frozenset({"EagerPyFunc"})
# Attributes that name things or only hint: they never change which gradients exist.
_IRRELEVANT = frozenset(
    {"shape", "value", "container", "shared_name", "frame_name", "parallel_iterations", "is_constant",
     "tensor_array_name", "output_shapes", "Tout_shape", "dtype"}
)  # fmt: skip

_NOT_TRAINABLE = Signature("ok")


def dependence(returned: Sequence[Any], incoming: Sequence[Any]) -> tuple[frozenset, frozenset]:
    """Which returned gradients depend on which incoming ones: ``(pairs, answers)`` as in ``Signature``.

    ``returned`` holds one gradient (or None) per input, ``incoming`` one placeholder (or None) per output. "Not None"
    alone is not enough: IdentityN, Sign and others return zeros, or values of another output.
    """
    outputs = {id(g.op): o for o, g in enumerate(incoming) if g is not None}
    pairs, answers = set(), set()
    for i, gradient in enumerate(returned):
        if gradient is None:
            continue
        answers.add(i)
        pairs |= {(outputs[k], i) for k in _reached(gradient, outputs.keys())}
    return frozenset(pairs), frozenset(answers)


def _reached(gradient: Any, goals: Iterable[int]) -> set[int]:
    start = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
    if not hasattr(start, "graph"):
        return set()  # an eager constant depends on nothing
    goals, found, seen, stack = set(goals), set(), set(), [start.op]
    while stack:
        op = stack.pop()
        if id(op) in seen:
            continue
        seen.add(id(op))
        if id(op) in goals:
            found.add(id(op))
        elif op.type not in VALUE_FREE:
            stack.extend(t.op for t in op.inputs)
    return found


class Signatures:
    """Asks each kind of op once. ``ask`` is how: the default, or the TF1 way."""

    def __init__(self, ask: Callable[[tf.Operation], Signature] | None = None) -> None:
        self._ask = ask or ask_in_scratch
        self._known: dict[Any, tuple[Signature, Any]] = {}

    def of(self, op: tf.Operation) -> Signature:
        """The op's signature, from the cache where an op of the same type, attributes and dtypes was asked before."""
        key = _key(op)
        if key not in self._known:
            # the gradient function is kept alive: its id is part of the key
            own = private.registered_gradient(op)
            self._known[key] = (self._ask(op) if own is not None else self._recall(key, op), own)
        return self._known[key][0]

    def _recall(self, key: tuple, op: tf.Operation) -> Signature:
        kind = (self._ask.__name__, key)
        signature = REMEMBERED.find(kind)
        if signature is None:
            signature = self._ask(op)
            if signature.rule == "ok":
                REMEMBERED.note(kind, private.gradient_function_of(op), signature)
        return signature


def _key(op: tf.Operation) -> tuple:
    node = op.node_def  # builds a protobuf each time
    attributes = tuple(
        (name, node.attr[name].SerializeToString())
        for name in sorted(node.attr)
        if name == "_gradient_op_type" or not (name.startswith("_") or name in _IRRELEVANT)
    )
    own = private.registered_gradient(op)
    return (
        op.type,
        attributes,
        tuple((t.dtype.as_datatype_enum, private.is_trainable(t)) for t in op.inputs),
        tuple(private.is_trainable(t) for t in op.outputs),
        id(own) if own is not None else 0,
    )


def ask_in_scratch(op: tf.Operation) -> Signature:
    """Ask the registered rule inside a scratch FuncGraph below the op's own graph."""
    rule, known = registered_rule(op)
    if known is not None:
        return known
    with op.graph.as_default():
        scratch = private.FuncGraph("explorer_scratch")
    try:
        with scratch.as_default(), tf.name_scope("gradients"):
            incoming = [incoming_gradient(t) for t in op.outputs]
            returned = rule(op, *incoming)
    except Exception as error:  # noqa: BLE001 - whatever a rule raises is its answer
        return Signature("raises", message=f"{type(error).__name__}: {str(error)[:200]}")
    return answered(op.type, returned, incoming)


def registered_rule(op: tf.Operation) -> tuple[Any, Signature | None]:
    """The op's gradient function, or the signature where there is nothing to ask."""
    try:
        rule = private.gradient_function_of(op)
    except LookupError:
        return None, Signature("lookup")
    if rule is None:
        return None, Signature("nondiff")
    if not any(private.is_trainable(t) for t in op.outputs):
        # TensorFlow never calls a rule without an incoming gradient; Pack and StridedSlice raise on None
        return None, _NOT_TRAINABLE
    if op.type in _OPAQUE:
        every = frozenset((o, i) for o in range(len(op.outputs)) for i in range(len(op.inputs)))
        return None, Signature("opaque", every, frozenset(range(len(op.inputs))))
    return rule, None


def answered(op_type: str, returned: Any, incoming: Sequence[Any]) -> Signature:
    """The signature that a rule's answer amounts to."""
    as_list = list(returned) if isinstance(returned, (list, tuple)) else [returned]
    pairs, answers = dependence(as_list, incoming)
    zero = _ALWAYS_ZERO.get(op_type, frozenset())
    return Signature("ok", frozenset(p for p in pairs if p[1] not in zero), answers)


def incoming_gradient(output: tf.Tensor) -> tf.Tensor | None:
    """A placeholder for the gradient that would arrive at ``output``; None where none can."""
    if not private.is_trainable(output):
        return None
    if output.dtype == tf.resource:
        element = private.element_dtype(output)
        return tf.compat.v1.placeholder(tf.float32 if element is None else element, name="gradient")
    gradient = tf.compat.v1.placeholder(output.dtype.base_dtype, output.shape, name="gradient")
    if output.dtype == tf.variant:
        private.copy_handle_data(output, gradient)
    return gradient
