"""What watching every iteration costs: one training step, plain and watched, in turns, in one process per model.

``python -m tests.benchmarks.probes [RUNS]`` prints the plain step in ms and every other step as a multiple of it:
norms alone, norms with health (what a run with ``--probe`` records), TensorFlow's ``enable_check_numerics`` and its
tfdbg2 with ``FULL_HEALTH``.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

MODELS = ("LSTM 3 x 7", "LSTM 100 x 100", "tiny loop 100 x 100", "LSTM 128, batch 32, 8 x 25")
OTHERS = ("norms", "norms, health", "check_numerics", "tfdbg2")


def main(runs: int = 7) -> None:
    print(f"{'model':28}{'plain ms':>10}" + "".join(f"{name:>16}" for name in OTHERS) + f"{'peak MB':>10}", flush=True)
    for number in range(len(MODELS)):
        subprocess.run([sys.executable, "-m", "tests.benchmarks.probes", str(runs), str(number)], check=True)


def measure(runs: int, number: int) -> None:
    """One model in this process."""
    import tensorflow as tf

    fn, x = _model(tf, MODELS[number])
    steps = {"plain": _step(tf, fn)}
    steps["plain"](x)
    probes = []
    for name in OTHERS[:2]:
        probes.append(_watched(tf, fn, x, health="health" in name))
        steps[name] = probes[-1][1]
    tf.debugging.enable_check_numerics()
    steps["check_numerics"] = _step(tf, fn)
    steps["check_numerics"](x)
    tf.debugging.disable_check_numerics()
    with tempfile.TemporaryDirectory() as folder:
        tf.debugging.experimental.enable_dump_debug_info(folder, tensor_debug_mode="FULL_HEALTH")
        steps["tfdbg2"] = _step(tf, fn)
        steps["tfdbg2"](x)
        times: dict[str, list[float]] = {name: [] for name in steps}
        for _ in range(runs):
            for name, step in steps.items():
                times[name].append(_seconds(step, x))
            for probe, _ in probes:
                list(probe.records())  # what is waiting is read outside the clock
        tf.debugging.experimental.disable_dump_debug_info()
    plain = median(times["plain"])
    ratios = "".join(f"{median(a / b for a, b in zip(times[n], times['plain'], strict=True)):16.2f}" for n in OTHERS)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{MODELS[number]:28}{1000 * plain:10.1f}{ratios}{peak:10}", flush=True)


def _watched(tf: Any, fn: Callable[..., Any], x: Any, health: bool) -> tuple[Any, Callable[..., Any]]:
    from explorer.engine.loop_probe import LoopProbe

    probe = LoopProbe(health=health)
    step = _step(tf, fn, probe)
    with probe.watching():
        step(x)
    return probe, step


def _step(tf: Any, fn: Callable[..., Any], probe: Any = None) -> Callable[..., Any]:
    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x)
        if probe is None:
            return tape.gradient(y, x)
        with probe.differentiating():
            return tape.gradient(y, x)

    return step


def _seconds(step: Callable[..., Any], x: Any) -> float:
    begun = time.perf_counter()
    step(x).numpy()
    return time.perf_counter() - begun


def _model(tf: Any, name: str) -> tuple[Callable[..., Any], Any]:
    if name.startswith("tiny"):
        return lambda x: tf.reduce_sum(tf.map_fn(lambda a: _tiny(tf, a), x)), tf.random.normal([100, 4])
    units, batch = (128, 32) if "128" in name else (8, 5)
    outer, steps = {"LSTM 3 x 7": (3, 7), "LSTM 100 x 100": (100, 100)}.get(name, (8, 25))
    cell = tf.keras.layers.LSTMCell(units)
    cell.build((None, units))

    def element(sequence: Any) -> Any:
        def body(t: Any, h: Any, c: Any) -> Any:
            _, (h, c) = cell(sequence[t], [h, c])
            return t + 1, h, c

        start = (0, tf.zeros([batch, units]), tf.zeros([batch, units]))
        return tf.while_loop(lambda t, h, c: t < steps, body, start)[1]

    return lambda x: tf.reduce_sum(tf.map_fn(element, x) ** 2), tf.random.normal([outer, steps, batch, units])


def _tiny(tf: Any, start: Any) -> Any:
    return tf.while_loop(lambda i, h: i < 100, lambda i, h: (i + 1, tf.tanh(h * 1.01)), (0, start))[1]


if __name__ == "__main__":
    asked = [int(word) for word in sys.argv[1:]]
    main(*asked) if len(asked) < 2 else measure(*asked)
