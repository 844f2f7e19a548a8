"""A small constant evaluator: does a loop run at all, how often, and which branch is taken?

Only scalars of the few op types that loop conditions are made of. Iterative and memoised: a recursive evaluator is
exponential on ``x + x + x ...``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

Scalar = Any

_FOLDABLE: dict[str, Callable[..., Scalar]] = {
    "Less": lambda a, b: a < b,
    "LessEqual": lambda a, b: a <= b,
    "Greater": lambda a, b: a > b,
    "GreaterEqual": lambda a, b: a >= b,
    "Equal": lambda a, b: a == b,
    "NotEqual": lambda a, b: a != b,
    "AddV2": lambda a, b: a + b,
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "FloorDiv": lambda a, b: a // b,
    "FloorMod": lambda a, b: a % b,
    "Maximum": max,
    "Minimum": min,
    "Neg": lambda a: -a,
    "LogicalNot": lambda a: not a,
    "Identity": lambda a: a,
    "Squeeze": lambda a: a,
    "LoopCond": lambda a: a,
}
_SCALARS = (tf.int32, tf.int64, tf.bool, tf.float32)
_MOST_TRIPS = 2000


class Folder:
    """Scalar constants of live graphs. ``known`` maps ``id(tensor)`` to a value that enters from outside."""

    def __init__(self) -> None:
        self._known: dict[int, Scalar] = {}

    def learn(self, tensor: tf.Tensor, value: Scalar | None) -> None:
        """Remember what a function input is called with; None forgets (ids are reused between calls)."""
        if value is None:
            self._known.pop(id(tensor), None)
        else:
            self._known[id(tensor)] = value

    def value(self, tensor: tf.Tensor, also: Mapping[int, Scalar] | None = None) -> Scalar | None:
        """The constant that ``tensor`` holds, None where that is not known."""
        known = {**self._known, **also} if also else self._known
        memo: dict[int, Scalar | None] = {}
        stack = [tensor]
        while stack:
            top = stack[-1]
            if id(top) in known or id(top) in memo:
                stack.pop()
                continue
            waiting = [] if _leaf(top) else [i for i in top.op.inputs if id(i) not in known and id(i) not in memo]
            if waiting and top.op.type in (*_FOLDABLE, "Cast", "LogicalAnd", "LogicalOr"):
                stack.extend(waiting)
                continue
            memo[id(top)] = _evaluate(top, known, memo)
            stack.pop()
        return known.get(id(tensor), memo.get(id(tensor)))

    def trips(
        self,
        entering: Sequence[Scalar | None],
        cond: tuple[Sequence[tf.Tensor], tf.Tensor],
        body: tuple[Sequence[tf.Tensor], Sequence[tf.Tensor]],
    ) -> tuple[bool | None, int | None]:
        """Whether the loop runs at least once, and how often, by running its condition on constants.

        ``cond`` and ``body`` are (inputs, output(s)) of their graphs; ``entering`` the constants the loop starts with.
        """
        values = list(entering)
        enters: bool | None = None
        for trip in range(_MOST_TRIPS):
            goes_on = self.value(cond[1], _bound(cond[0], values))
            if goes_on is None:
                return enters, None
            if trip == 0:
                enters = bool(goes_on)
            if not goes_on:
                return enters, trip
            bound = _bound(body[0], values)
            values = [self.value(out, bound) if values[k] is not None else None for k, out in enumerate(body[1])]
        return enters, None


def _bound(tensors: Sequence[tf.Tensor], values: Sequence[Scalar | None]) -> dict[int, Scalar]:
    return {id(t): v for t, v in zip(tensors, values, strict=False) if v is not None}


def _leaf(tensor: tf.Tensor) -> bool:
    return tensor.dtype.base_dtype not in _SCALARS or tensor.op.type in ("Const", "StridedSlice", "Placeholder")


def _evaluate(tensor: tf.Tensor, known: Mapping[int, Scalar], memo: Mapping[int, Scalar | None]) -> Scalar | None:
    op = tensor.op
    if tensor.dtype.base_dtype not in _SCALARS:
        return None
    if op.type == "Const":
        value = tf.get_static_value(tensor) if tensor.shape.num_elements() == 1 else None
        return None if value is None or value.dtype.kind not in "iufb" else value.reshape(())[()].item()
    if op.type == "StridedSlice":
        return _dimension(op)
    arguments = [known.get(id(i), memo.get(id(i))) for i in op.inputs]
    if op.type == "LogicalAnd":
        return False if any(a is not None and not a for a in arguments) else None if None in arguments else True
    if op.type == "LogicalOr":
        return True if any(a is not None and a for a in arguments) else None if None in arguments else False
    if op.type == "Cast" and arguments[0] is not None:
        return (bool if tensor.dtype == tf.bool else int if tensor.dtype.is_integer else float)(arguments[0])
    if op.type not in _FOLDABLE or any(a is None for a in arguments):
        return None
    try:
        return _FOLDABLE[op.type](*arguments)
    except (ArithmeticError, TypeError):
        return None


def _dimension(op: tf.Operation) -> int | None:
    """``tf.shape(x)[k]`` where x's dimension k is static; TensorFlow folds it only when all dimensions are."""
    shape, begin = op.inputs[0], tf.get_static_value(op.inputs[1])
    if shape.op.type != "Shape" or begin is None or begin.size != 1 or op.get_attr("shrink_axis_mask") != 1:
        return None
    static = shape.op.inputs[0].shape
    axis = int(begin.reshape(())[()])
    if static.rank is None or not -static.rank <= axis < static.rank:
        return None
    return static[axis]
