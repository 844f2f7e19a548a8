"""Concrete arrays for the inputs, seeded: the same case gives the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.model.case import BadInput, InputSpec

_OPEN = 3  # size for a None dimension that nobody gave a size


def arrays(inputs: Sequence[InputSpec], values: Sequence[Any], seed: int) -> list[np.ndarray]:
    """One array per input: the target's own values where it brings them, else standard normal (or 0, 1, 2)."""
    random = np.random.RandomState(seed)
    return [_array(spec, value, random) for spec, value in zip(inputs, values, strict=True)]


def _array(spec: InputSpec, value: Any, random: np.random.RandomState) -> np.ndarray:
    if value is not None:
        return np.asarray(value, dtype=None if spec.dtype == "string" else _numpy_dtype(spec.dtype))
    size = spec.size
    if size is None:
        if spec.shape is None:
            raise BadInput(f"The size of {spec.name} is missing: give --size {spec.name}=3,5.")
        size = tuple(_OPEN if d is None else d for d in spec.shape)
    if spec.dtype == "string":
        return np.full(size, "a", dtype=object)
    if spec.dtype == "bool":
        return np.ones(size, bool)
    if tf.as_dtype(spec.dtype).is_integer:
        return np.asarray(random.randint(0, 3, size=size)).astype(_numpy_dtype(spec.dtype))
    return np.asarray(random.randn(*size)).astype(_numpy_dtype(spec.dtype))


def _numpy_dtype(name: str) -> Any:
    try:
        return tf.as_dtype(name).as_numpy_dtype
    except TypeError:
        raise BadInput(f"{name} is no TensorFlow dtype: write float32, float64, int32, bool, ...") from None


def is_float(spec: InputSpec) -> bool:
    """Whether a gradient with respect to this input can exist."""
    dtype = tf.as_dtype(spec.dtype)
    return bool(dtype.is_floating or dtype.is_complex)


def constants(inputs: Sequence[InputSpec], values: Sequence[np.ndarray]) -> list[tf.Tensor]:
    """The inputs as eager tensors."""
    return [tf.constant(a, dtype=spec.dtype) for a, spec in zip(values, inputs, strict=True)]


def signature(inputs: Sequence[InputSpec]) -> list[tf.TensorSpec]:
    """The input signature, None dims kept."""
    return [tf.TensorSpec(None if s.shape is None else list(s.shape), s.dtype, name=s.name) for s in inputs]
