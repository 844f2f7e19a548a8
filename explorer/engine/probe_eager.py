"""Watches the iterations of loops that run eagerly, Python's own among them.

A second run keeps the tensors that each iteration was begun and ended with, and asks for the gradients with respect to
them in the same call as for those of the sources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.capture.builder import SnapshotBuilder
from explorer.capture.eager import EagerRecorder
from explorer.capture.eager_loops import describe_loops
from explorer.capture.eager_records import States
from explorer.capture.python_bodies import recorded_bodies
from explorer.engine import probe_numbers
from explorer.engine.inputs import constants
from explorer.engine.progress import Progress
from explorer.engine.sources import backward_run, choose, live_inputs, live_variables, losses_of, watch
from explorer.engine.targets import Program
from explorer.model.case import Case
from explorer.model.graph import Loop, Snapshot
from explorer.model.probes import Probe, ProbeRun
from explorer.model.verdict import BackwardRun

_CALLED = "The loop is inside a tf.function that eager code calls: explore it with --way graph."
_NAMELESS = "No variable of the loop's own function holds it from one iteration to the next."
_NO_GRADIENT = "No gradient comes back to it."


@dataclass(frozen=True)
class Carried:
    """One run of a loop at one variable: the iterations around it, the tensor after each, ``start`` before the first.

    ``start`` is None where it cannot be told.
    """

    loop: str
    name: str
    outer: tuple[int, ...]
    tensors: tuple[Any, ...]
    start: Any


def probe(
    case: Case, load: Callable[[], Program], arrays: Sequence[np.ndarray], snapshot: Snapshot
) -> tuple[tuple[Probe, ...], BackwardRun]:
    """The probes of every loop of ``snapshot``, and the gradients of this run."""
    program = load()
    given = constants(program.inputs, arrays)
    inputs = live_inputs(program, given)
    recorder = EagerRecorder(states=True)
    with recorder, recorded_bodies(), tf.GradientTape() as tape:
        watch(tape, inputs)
        losses = losses_of(program.fn(*given), case.loss)
    variables = live_variables(program, tape.watched_variables(), [s.name for s in program.inputs])
    sources = choose([*inputs, *variables], case.wrt)
    carried = list(_carried(recorder))
    wanted = {t._id: t for each in carried for t in (*each.tensors, each.start) if t is not None}
    asked = [s.live for s in sources if s.asked]
    found = tape.gradient(losses, [*asked, *wanted.values()])
    run = backward_run(sources, found[: len(asked)], losses, lambda t: t.numpy())
    gradients = dict(zip(wanted, found[len(asked) :], strict=True))
    return tuple(p for loop in snapshot.loops for p in _of_loop(loop, carried, gradients)), run


def in_eager(case: Case, load: Callable[[], Program], arrays: Sequence[np.ndarray], progress: Progress) -> BackwardRun:
    """Probe, and tell the probes."""
    assert progress.snapshot is not None
    probes, run = probe(case, load, arrays, progress.snapshot)
    progress.tell("probes", probes)
    if case.probe_ops:
        progress.note("--probe-op is for graphs: eagerly, every iteration runs ops of its own.")
    return run


def _carried(recorder: EagerRecorder) -> Iterator[Carried]:
    states = recorder.recording.states
    assert states is not None
    ids = describe_loops(SnapshotBuilder(), recorder.recording, recorder.loops.runs).ids
    always = _always_there(states)
    for (path, number), begun in states.begun.items():
        later = [*begun[1:], states.left.get((path, number), {})]
        for name in later[0]:
            tensors = [names.get(name) for names in later]
            if path in ids and all(t is not None and probe_numbers.is_counted(t) for t in tensors):
                start = _start(name, begun[0], later, always[path])
                yield Carried(ids[path], name, recorder.loops.around[path][number], tuple(tensors), start)


def _always_there(states: States) -> dict[Any, set[str]]:
    """The names that mean a tensor before the first iteration, in every run of a loop."""
    found: dict[Any, set[str]] = {}
    for (path, _), begun in states.begun.items():
        found[path] = found.get(path, set(begun[0])) & set(begun[0])
    return found


def _start(name: str, first: dict[str, Any], later: Sequence[dict[str, Any]], always: set[str]) -> Any:
    """What a variable begins with. Where it is made in the loop alone, a second name of the same tensors may tell.

    A name that is not there in every run means, in the others, what an earlier run left in it.
    """
    same = [
        other for other in first if all(names.get(other) is names[name] for names in later) and other in always
    ]  # fmt: skip
    return first[name] if name in same else first[same[0]] if same else None


def _of_loop(loop: Loop, carried: Sequence[Carried], gradients: dict[int, Any]) -> Iterator[Probe]:
    for slot in loop.slots:
        if slot.role != "state" or not slot.dtype.startswith(("float", "bfloat")):
            continue
        runs = [each for each in carried if (each.loop, each.name) == (loop.id, slot.name)]
        why = "" if runs else _CALLED if loop.op >= 0 else _NAMELESS
        none = [gradients.get(t._id) is None for each in runs for t in each.tensors]
        forward = tuple(_run(each, lambda t: t.numpy()) for each in runs)
        backward = () if all(none) else tuple(_run(each, partial(_gradient, gradients)) for each in runs)
        yield Probe(loop.id, slot.name, "forward", slot.index, slot.next, forward, why)
        yield Probe(
            loop.id, slot.name, "backward", slot.index, slot.next, backward, why or ("" if backward else _NO_GRADIENT),
            any(none) and not all(none),
        )  # fmt: skip


def _gradient(gradients: dict[int, Any], tensor: Any) -> np.ndarray | None:
    gradient = gradients[tensor._id]
    return None if gradient is None else tf.convert_to_tensor(gradient).numpy()


def _run(carried: Carried, value: Callable[[Any], np.ndarray | None]) -> ProbeRun:
    """``value`` takes what is told of a tensor: itself or its gradient. A gradient of None counts as zero."""
    found = [(value(t), t) for t in carried.tensors]
    rows = [probe_numbers.of_array(np.zeros(t.shape) if array is None else array) for array, t in found]
    numbers = probe_numbers.read(np.stack(rows), summary=False)
    first = None if carried.start is None or not probe_numbers.is_counted(carried.start) else value(carried.start)
    start = None if first is None else probe_numbers.read(probe_numbers.of_array(first)[None], summary=False).norms[0]
    return ProbeRun(carried.outer, numbers.norms, start, numbers.health)
