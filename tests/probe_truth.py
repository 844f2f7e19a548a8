"""Gradients of every iteration by plain Python loops under a tape, without any of the explorer's code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

Norms = dict[str, list[list[float]]]


def norm(value: Any) -> float:
    return float(np.linalg.norm(np.asarray(tf.convert_to_tensor(value), np.float64).ravel()))


def rnn_states(cell: str, sizes: tuple[int, ...], weights: Callable[..., list[np.ndarray]]) -> tuple[Norms, Norms]:
    """``{state name: [outer][inner]}`` forward and backward of a Keras cell, mapped over the outer axis.

    The loss is the mean square of the last outputs times a matrix, as in the sample models.
    """
    import keras

    *cell_weights, readout = weights(cell, sizes[-1], 8, 0)
    layer = getattr(keras.layers, f"{cell}Cell")(8)
    layer.build((None, sizes[-1]))
    layer.set_weights(cell_weights)
    x = np.random.RandomState(0).randn(*sizes).astype("float32")
    states: list[list[list[tf.Tensor]]] = []
    with tf.GradientTape(persistent=True) as tape:
        rows = []
        for element in x:
            carried = [tf.zeros([sizes[1], 8]) for _ in range(2 if cell == "LSTM" else 1)]
            seen = []
            for t in range(sizes[2]):
                output, carried = layer(tf.constant(element[:, t]), carried)
                carried = list(carried) if isinstance(carried, (list, tuple)) else [carried]
                seen.append(carried)
            states.append(seen)
            rows.append(output @ readout)
        loss = tf.reduce_mean(tf.square(tf.stack(rows)))
    names = range(len(states[0][0]))
    forward = {f"{k}": [[norm(step[k]) for step in run] for run in states] for k in names}
    flat = [step[k] for k in names for run in states for step in run]
    gradients = iter(tape.gradient(loss, flat))
    return forward, {f"{k}": [[norm(next(gradients)) for _ in run] for run in states] for k in names}
