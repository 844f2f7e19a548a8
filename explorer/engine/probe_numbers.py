"""The numbers a probe takes of a tensor, always in float64: a square of 1e-27 is 0 in float32, where vanishing matters.

One row per value. Two layouts: ``plain`` is ``[half the squared norm, least, largest, share of zeros, NaN, Inf]``,
computed for all iterations at once; ``summary`` holds what one fused op tells of one iteration. Norms alone are one
column in both. A value without elements has least = Inf and largest = -Inf.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.model.probes import Health

_PLAIN = 6
_FULL_HEALTH = 4  # [id, device, dtype, rank, elements, -Inf, +Inf, NaN, negative, zero, positive]
_COUNTS = 4  # where the counts of DebugNumericSummaryV2 begin
_SUMMARY = 3 + 11 - _COUNTS
COUNTED = (tf.float16, tf.bfloat16, tf.float32, tf.float64)


def column_count(health: bool, summary: bool) -> int:
    """How many columns one value takes."""
    return (_SUMMARY if summary else _PLAIN) if health else 1


def of_value(tensor: tf.Tensor, health: bool) -> tf.Tensor:
    """One value in the ``summary`` layout: few ops, for the inside of a loop. float64 [columns]."""
    x = tf.cast(tf.stop_gradient(tensor), tf.float64)
    if not health:
        return tf.nn.l2_loss(x)[None]
    flat = tf.reshape(x, [-1])
    counts = tf.raw_ops.DebugNumericSummaryV2(input=x, tensor_debug_mode=_FULL_HEALTH, output_dtype=tf.float64)
    size = tf.stack([tf.nn.l2_loss(x), tf.reduce_min(flat), tf.reduce_max(flat)])
    return tf.concat([size, counts[_COUNTS:]], 0)


def of_values(stacked: tf.Tensor, health: bool) -> tf.Tensor:
    """All values of a run, [iterations, ...], in the ``plain`` layout. float64 [iterations, columns]."""
    x = tf.cast(tf.stop_gradient(stacked), tf.float64)
    x = tf.reshape(x, [tf.shape(x)[0], stacked.shape[1:].num_elements()])
    half = tf.reduce_sum(x * x, 1) / 2
    if not health:
        return half[:, None]
    share = tf.math.divide_no_nan(_count(x == 0), tf.cast(tf.shape(x)[1], tf.float64))
    bad = [_count(tf.math.is_nan(x)), _count(tf.math.is_inf(x))]
    return tf.stack([half, tf.reduce_min(x, 1), tf.reduce_max(x, 1), share, *bad], 1)


def _count(flags: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.cast(flags, tf.float64), 1)


def of_array(array: np.ndarray) -> np.ndarray:
    """One value outside a graph, in the ``plain`` layout."""
    x = np.asarray(array).astype(np.float64).ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        half = float((x * x).sum()) / 2
    least, largest = (x.min(), x.max()) if x.size else (np.inf, -np.inf)
    return np.array([half, least, largest, (x == 0).mean() if x.size else 0, np.isnan(x).sum(), np.isinf(x).sum()])


@dataclass(frozen=True)
class Numbers:
    """``norms`` one per value; ``health`` None where it was not asked for."""

    norms: tuple[float, ...]
    health: Health | None


def read(rows: np.ndarray, summary: bool) -> Numbers:
    """[values, columns] as numbers."""
    norms = tuple(np.sqrt(2 * rows[:, 0]).tolist())
    if rows.shape[1] == 1:
        return Numbers(norms, None)
    if summary:
        elements, minus, plus, nans, _, zeros, _ = rows[:, 3:].T
        share, infs = np.divide(zeros, elements, out=np.zeros_like(zeros), where=elements > 0), minus + plus
    else:
        share, nans, infs = rows[:, 3:].T
    return Numbers(norms, Health(_floats(rows[:, 1]), _floats(rows[:, 2]), _floats(share), _whole(nans), _whole(infs)))


def _floats(column: np.ndarray) -> tuple[float, ...]:
    return tuple(column.tolist())


def _whole(column: np.ndarray) -> tuple[int, ...]:
    return tuple(int(n) for n in column)


def is_counted(tensor: Any) -> bool:
    """Whether numbers can be taken of it."""
    return tensor.dtype.base_dtype in COUNTED


def are_small(tensors: Sequence[tf.Tensor], most: int) -> bool:
    """Whether every value is known to have at most so many elements, so that a run's values can wait for its end."""
    sizes = [t.shape.num_elements() for t in tensors]
    return all(size is not None and size <= most for size in sizes)
