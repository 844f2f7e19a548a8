"""Freezing and predicting against TensorFlow's own trace of the same function, 100 to 10,000 ops and a nested LSTM.

``python -m tests.benchmarks.prediction`` prints seconds and the ratio (freeze + predict) / trace, medians of three.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

from explorer.engine.sources import live_inputs
from explorer.engine.way_graph import freeze_trace
from explorer.flow.predict import predict
from explorer.model.case import InputSpec


def chain(ops: int) -> Callable[..., Any]:
    """A loop in a loop; the inner body holds about ``ops`` ops of ten kinds, written on lines of their own."""
    w = tf.Variable(tf.random.normal([4, 4], seed=1), name="w")

    def body(i: tf.Tensor, h: tf.Tensor) -> Any:
        for _ in range(ops // 10):
            a = tf.tanh(h)
            b = tf.sigmoid(a)
            c = a * b
            d = c + h
            e = tf.matmul(d, w)
            f = tf.nn.relu(e)
            g = tf.reduce_mean(f, axis=-1, keepdims=True)
            h = f - g
        return i + 1, h

    def outer(j: tf.Tensor, h: tf.Tensor) -> Any:
        return j + 1, tf.while_loop(lambda i, _: i < 3, body, (0, h))[1]

    return lambda x: tf.reduce_sum(tf.while_loop(lambda j, _: j < 2, outer, (0, x))[1])


def nested_lstm() -> Callable[[tf.Tensor], tf.Tensor]:
    rnn = tf.keras.layers.LSTM(8)
    rnn.build((None, None, 4))
    return lambda x: tf.reduce_sum(tf.map_fn(rnn, x))


def measure(fn: Callable[[tf.Tensor], tf.Tensor], shape: Sequence[int | None]) -> tuple[int, float, float, float]:
    """Number of ops; seconds to trace, to freeze (signatures included) and to predict."""
    told: dict[str, Any] = {}
    spec = InputSpec("x", tuple(shape))

    def step(x: tf.Tensor) -> tf.Tensor:
        began = time.perf_counter()
        loss = fn(x)
        traced = time.perf_counter()
        snapshot = freeze_trace([loss], live_inputs([spec], [x]))
        frozen = time.perf_counter()
        predict(snapshot)
        told.update(
            n=len(snapshot.ops), trace=traced - began, freeze=frozen - traced, predict=time.perf_counter() - frozen
        )
        return loss

    tf.function(step, [tf.TensorSpec(shape)], autograph=False).get_concrete_function()
    return told["n"], told["trace"], told["freeze"], told["predict"]


def main() -> None:
    print(f"{'program':14}{'ops':>8}{'trace':>9}{'freeze':>9}{'predict':>9}{'ratio':>8}")
    programs: list[tuple[str, Callable[[], Callable[..., Any]], Sequence[int | None]]] = [
        ("nested LSTM", nested_lstm, [None, None, None, 4]),
        *((f"chain {n}", partial(chain, n), [4, 4]) for n in (100, 1000, 10000)),
    ]
    for name, make, shape in programs:
        rows = [measure(make(), shape) for _ in range(3)]
        n, trace, freeze, predicted = (median(row[k] for row in rows) for k in range(4))
        ratio = median((row[2] + row[3]) / row[1] for row in rows)
        print(f"{name:14}{n:8.0f}{trace:9.3f}{freeze:9.3f}{predicted:9.3f}{ratio:8.2f}")


if __name__ == "__main__":
    main()
