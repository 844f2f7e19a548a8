"""Local signatures in eager mode: TensorFlow's rules are asked with what the tape would give them.

The rule runs once per kind of op, in a scratch FuncGraph, on placeholders for the op's inputs and outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import tensorflow as tf

from explorer.capture import private
from explorer.capture.remembered import REMEMBERED
from explorer.capture.signature import answered, incoming_gradient, registered_rule
from explorer.model.graph import Signature

_SMALL = 64  # elements of an integer input that a rule may want to know (axes, shapes, sizes)


class EagerSignatures:
    """Asks each kind of op once: the same type, attributes, dtypes and trainability."""

    def __init__(self) -> None:
        self._known: dict[Any, Signature] = {}

    def of(
        self, op_type: str, inputs: Sequence[Any], attributes: tuple, outputs: Sequence[Any], kinds: Hashable
    ) -> Signature:
        """The signature of an op that just ran; ``kinds`` tells dtypes and trainability of its tensors."""
        key = (op_type, repr(attributes), kinds)
        if key not in self._known:
            self._known[key] = REMEMBERED.find(key) or _ask(key, inputs, attributes, outputs)
        return self._known[key]


def ask_backward(backward: Callable[..., Any], inputs: Sequence[Any], outputs: Sequence[Any]) -> Signature:
    """The signature of an operation recorded with a backward function of its own (eager custom gradients)."""
    try:
        with private.FuncGraph("explorer_scratch").as_default():
            incoming = [tf.compat.v1.placeholder(t.dtype, t.shape, name="gradient") for t in outputs]
            returned = backward(*incoming)
    except Exception:  # noqa: BLE001 - the user's rule may need values: then it cannot be asked
        return everything(len(inputs), len(outputs))
    return answered("CustomGradient", returned, incoming)


def everything(inputs: int, outputs: int) -> Signature:
    """The signature of what cannot be asked: every output may depend on every input."""
    pairs = frozenset((o, i) for o in range(outputs) for i in range(inputs))
    return Signature("opaque", pairs, frozenset(range(inputs)))


def _ask(key: tuple, inputs: Sequence[Any], attributes: tuple, outputs: Sequence[Any]) -> Signature:
    op_type = key[0]
    scratch = private.FuncGraph("explorer_scratch")
    try:
        with scratch.as_default(), tf.name_scope("gradients"):
            given, made = [_stand_in(t) for t in inputs], [_placeholder(t) for t in outputs]
            op = private.PretendedOp(attributes, given, made, op_type, None)
            rule, known = registered_rule(op)
            if known is not None:
                return known
            incoming = [incoming_gradient(t) for t in made]
            returned = rule(op, *incoming)
    except Exception as error:  # noqa: BLE001 - whatever a rule raises is its answer
        return Signature("raises", message=f"{type(error).__name__}: {str(error)[:200]}")
    signature = answered(op_type, returned, incoming)
    REMEMBERED.note(key, rule, signature)
    return signature


def _stand_in(tensor: Any) -> Any:
    """Rules read axes and sizes, so small integers keep their value."""
    if tensor.dtype in (tf.int32, tf.int64) and (tensor.shape.num_elements() or 0) <= _SMALL:
        return tf.constant(tensor.numpy(), tensor.dtype)
    return _placeholder(tensor)


def _placeholder(tensor: Any) -> Any:
    made = tf.compat.v1.placeholder(tensor.dtype, tensor.shape)
    if tensor.dtype in (tf.resource, tf.variant):
        private.copy_handle_data(tensor, made)
    return made
