"""Plain TensorFlow on one case, timed: no hooks, no capture, no prediction.

Build, trace and first run happen once in a process; the runs after them are repeated until they say something.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.capture import private
from explorer.engine import again
from explorer.engine.inputs import arrays, constants, signature
from explorer.engine.limits import MB
from explorer.engine.progress import Progress
from explorer.engine.sessions import initialise
from explorer.engine.sources import LiveSource, filled, losses_of
from explorer.engine.targets import Program
from explorer.model.case import Case, Way
from explorer.model.speed import GradientSample, Speed

v1 = tf.compat.v1
_ENOUGH = 0.4  # seconds of repeated runs
_FEWEST, _MOST = 3, 30
_COORDINATES = 4096  # of one gradient that are sent
_clock = time.perf_counter

Run = Callable[[], Any]


def measure(case: Case, way: Way, load: Callable[[], Program], progress: Progress) -> None:
    """Time one case and tell its ``speed``."""
    grown = _growth()
    speed = _in_session(case, load, progress) if way == "tf1" else _with_tape(case, way, load, progress)
    progress.tell("speed", replace(speed, memory=grown()))


def _with_tape(case: Case, way: Way, load: Callable[[], Program], progress: Progress) -> Speed:
    build, program = _timed(load)
    given = constants(program.inputs, arrays(program.inputs, program.values, case.seed))
    named: list[LiveSource] = []

    def loss(*xs: tf.Tensor) -> Any:
        return losses_of(fn(*xs), case.loss)

    def step(*xs: tf.Tensor) -> Any:
        named[:], losses, gradients = again.differentiate(program, fn, xs, case)
        return losses, gradients

    progress.enter("trace")
    if way == "eager":
        fn, trace = program.fn, None
        forward, both = loss, step
    else:
        fn = private.autograph_convert(program.fn)
        if program.call_first:
            program.fn(*given)
        forward, both = (
            tf.function(f, input_signature=signature(program.inputs), autograph=False, jit_compile=way == "xla" or None)
            for f in (loss, step)
        )
        trace, _ = _timed(both.get_concrete_function)
    progress.enter("backward")
    first, (_, gradients) = _timed(lambda: _ready(both(*given)))
    seconds = _repeated(lambda: _ready(forward(*given)), lambda: _ready(both(*given)))
    found = [None if g is None else again.dense(g) for g in gradients]
    return Speed(build, trace, first, *seconds, None, _samples(named, found))


def _in_session(case: Case, load: Callable[[], Program], progress: Progress) -> Speed:
    with tf.Graph().as_default():
        v1.set_random_seed(case.seed)
        build, program = _timed(load)
        given = arrays(program.inputs, program.values, case.seed)
        progress.enter("trace")
        began = _clock()
        inputs, sources, losses, gradients = again.in_session(program, case)
        trace = _clock() - began
        progress.enter("backward")
        kept = [g for g in gradients if g is not None]
        with v1.Session() as session:
            initialise(session)
            feeds = {s.live: value for s, value in zip(inputs, given, strict=True)}
            first, (_, found) = _timed(lambda: session.run([losses, kept], feeds))
            seconds = _repeated(lambda: session.run(losses, feeds), lambda: session.run([losses, kept], feeds))
    return Speed(build, trace, first, *seconds, None, _samples(sources, filled(gradients, found)))


def _timed(run: Run) -> tuple[float, Any]:
    began = _clock()
    answer = run()
    return _clock() - began, answer


def _ready(answer: Any) -> Any:
    """Wait until the numbers are there; a GPU answers before it has them."""
    for tensor in tf.nest.flatten(answer):
        if tensor is not None:
            tf.convert_to_tensor(tensor).numpy()
    return answer


def _repeated(forward: Run, both: Run) -> tuple[float, float, int]:
    """Medians of the two and the number of repeats; they take turns, so that a busy machine slows both."""
    forward()  # its own warm-up
    alone, together = list[float](), list[float]()
    began = _clock()
    while len(alone) < _FEWEST or (len(alone) < _MOST and _clock() - began < _ENOUGH):
        alone.append(_timed(forward)[0])
        together.append(_timed(both)[0])
    return median(alone), median(together), len(alone)


def _samples(sources: Sequence[LiveSource], gradients: Sequence[np.ndarray | None]) -> tuple[GradientSample, ...]:
    return tuple(_sample(s.name, g) for s, g in zip(sources, gradients, strict=True) if s.asked)


def _sample(name: str, gradient: np.ndarray | None) -> GradientSample:
    if gradient is None:
        return GradientSample(name)
    flat = np.asarray(gradient, np.float64).ravel()
    places = np.arange(flat.size)
    if flat.size > _COORDINATES:
        places = np.sort(np.random.RandomState(0).choice(flat.size, _COORDINATES, replace=False))
    return GradientSample(name, np.shape(gradient), float(np.linalg.norm(flat)), tuple(map(float, flat[places])))


def _growth() -> Callable[[], float | None]:
    """What the process, or the GPU's allocator, needs at most beyond what it has now, in MB."""
    gpus = tf.config.list_logical_devices("GPU")
    if gpus:
        device = gpus[0].name.split("device:")[-1]
        tf.config.experimental.reset_memory_stats(device)
        return lambda: float(tf.config.experimental.get_memory_info(device)["peak"]) / MB
    if sys.platform != "linux":
        return lambda: None
    # the mark of the highest water is lowered to the present level, so that what the fork brought along does not count
    with suppress(OSError), open("/proc/self/clear_refs", "w", encoding="ascii") as marks:
        marks.write("5")
    before = _status("VmRSS")
    return lambda: _status("VmHWM") - before


def _status(field: str) -> float:
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))
