"""The builder's table of ops: each makes a vector of three floats from two others, some of them variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

OFFSET = np.array([0.31, -0.47, 0.23], np.float32)
_MIXER = np.array([[0.5, -0.3, 0.4], [0.2, 0.6, -0.5], [-0.4, 0.3, 0.7]], np.float32)
_MASK = np.array([True, False, True])
_TABLE = np.array([[0.1, 0.4, -0.2], [0.3, -0.1, 0.5], [-0.6, 0.2, 0.7]], np.float32)
_EDGES = np.array([-0.5, 0.0, 0.3, 0.6], np.float32)


def _dense(a: Any) -> Any:
    return tf.linalg.matvec(_MIXER, a)


def _squash(a: Any) -> Any:
    return tf.tanh(a + OFFSET)


def _plain(number: Any) -> Any:
    """A value without a gradient, made generic: never exactly zero, the same size as others."""
    return 0.2 * tf.cast(number, tf.float32) + OFFSET


@tf.custom_gradient
def _one_sided(a: Any, b: Any) -> Any:
    return tf.tanh(a + 0.5 * b), lambda upstream: (0.6 * upstream, None)


@tf.custom_gradient
def _swapped(a: Any, b: Any) -> Any:
    """Its two results get each other's gradient: what flows is decided by the rule, not by the data."""
    return (0.8 * a, 0.7 * b), lambda for_a, for_b: (0.8 * for_b, 0.7 * for_a)


def _in_numpy(a: Any) -> Any:
    made = tf.numpy_function(
        lambda value: np.asarray(np.tanh(value), np.float32), [tf.convert_to_tensor(a)], tf.float32
    )
    return _plain(tf.reshape(made, [3]))


def _resized(a: Any) -> Any:
    """ResizeArea has no gradient registered: its backward pass raises."""
    image = tf.reshape(a, [1, 1, 3, 1])
    return tf.reshape(tf.raw_ops.ResizeArea(images=image, size=[1, 3]), [3]) + OFFSET


def _both(a: Any, b: Any, rule: Any) -> Any:
    return rule(tf.convert_to_tensor(a), tf.convert_to_tensor(b))


OPS: dict[str, Callable[[Any, Any], Any]] = {
    "mix": lambda a, b: _squash(0.7 * a + 0.6 * b),
    "product": lambda a, b: _squash(a * b),
    "dense": lambda a, b: tf.tanh(_dense(a) + 0.3 * b),
    "choose": lambda a, b: tf.tanh(_dense(tf.where(_MASK, a, b))),
    "choose_largest": lambda a, b: tf.tanh(_dense(tf.where(tf.one_hot(tf.argmax(a), 3) > 0.5, a, b))),
    "total": lambda a, b: OFFSET * tf.reduce_sum(a) + 0.4 * b,
    "product_of_all": lambda a, b: tf.tanh(OFFSET * tf.reduce_prod(1.5 + 0.3 * a) + 0.5 * b),
    "largest": lambda a, b: OFFSET * tf.reduce_max(a) + 0.5 * b,
    "sorted": lambda a, b: tf.tanh(_dense(tf.sort(a)) + 0.4 * b),
    "pick": lambda a, b: OFFSET * a[1] + 0.4 * b,
    "gather_at": lambda a, b: tf.gather(a, tf.argmax(b)) * OFFSET + 0.3 * a,
    "joined": lambda a, b: tf.tanh(tf.linalg.matvec(np.hstack([_MIXER, _MIXER.T]), tf.concat([a, b], 0))),
    "unstacked": lambda a, b: OFFSET * tf.unstack(a)[0] + b * tf.unstack(a)[1],
    "through_double": lambda a, b: tf.cast(0.8 * tf.cast(a, tf.float64), tf.float32) + 0.2 * b,
    "leaky": lambda a, b: tf.nn.leaky_relu(a) + 0.3 * b,
    "inner": lambda a, b: tf.tanh(OFFSET * tf.tensordot(a, b, 1)),
    "clipped": lambda a, b: 0.7 * tf.clip_by_value(a, -9.0, 9.0) + 0.2 * b,
    "root": lambda a, b: tf.sqrt(a * a + 1.0) - 1.1 + 0.3 * b,
    "scattered": lambda a, b: _dense(tf.tensor_scatter_nd_update(a, [[1]], tf.reduce_sum(b, keepdims=True))),
    "passed": lambda a, b: tf.identity_n([tf.convert_to_tensor(a), tf.convert_to_tensor(b)])[0],
    "running_sum": lambda a, b: tf.tanh(0.5 * tf.cumsum(a) + 0.4 * b),
    "one_sided": lambda a, b: _both(a, b, _one_sided),
    "swapped": lambda a, b: _both(a, b, _swapped)[0],
    "stopped": lambda a, _: _plain(tf.stop_gradient(a)),
    "integer": lambda a, _: _plain(tf.cast(5.0 * a, tf.int32)),
    "rounded": lambda a, _: _plain(tf.round(3.0 * a)),
    "floored": lambda a, _: _plain(tf.floor(3.0 * a)),
    "signed": lambda a, _: _plain(tf.sign(a)),
    "largest_at": lambda a, _: _plain(tf.argmax(a)),
    "compared": lambda a, b: _plain(a > b),
    "numpy": lambda a, _: _in_numpy(a),
    "shaped": lambda a, _: _plain(tf.shape(a)),
    "zeros": lambda a, _: _plain(tf.zeros_like(a)),
    "counted": lambda a, _: _plain(tf.size(a)),
    "looked_up": lambda a, _: _plain(tf.gather(_TABLE, tf.argmin(a))),
    "one_hot": lambda a, _: _plain(tf.one_hot(tf.argmax(a), 3)),
    "searched": lambda a, _: _plain(tf.searchsorted(_EDGES, a)),
    "next_after": lambda a, _: _plain(tf.math.nextafter(tf.constant(OFFSET), a)),
    "top_indices": lambda a, _: _plain(tf.math.top_k(a, 3).indices),
    "resized": lambda a, _: _resized(a),
}
