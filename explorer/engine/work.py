"""One exploration, in the child process: load, trace, predict, differentiate, count the trips."""

from __future__ import annotations

import platform
import random
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.capture.births import noting_births
from explorer.capture.layers import noting_layers
from explorer.capture.names import noting_names
from explorer.capture.own_functions import noting_traced_functions
from explorer.capture.remembered import REMEMBERED
from explorer.engine import probing, speed, targets, trips, way_eager, way_graph, way_tf1
from explorer.engine.checks import after_verdict
from explorer.engine.errors import failure_of
from explorer.engine.inputs import arrays
from explorer.engine.own_gradients import whole_tracebacks
from explorer.engine.progress import Emit, Progress
from explorer.model.case import BadInput, Case, Way
from explorer.model.verdict import Surroundings
from explorer.strategies.catalogue import find_strategy

Load = Callable[[], targets.Program]


def explore(case: Case, emit: Emit) -> None:
    """Explore one case. An error ends it as a Failure; what was told before stays."""
    progress = Progress(emit)
    try:
        _explore(case, progress)
    except Exception as error:
        emit("failure", failure_of(error, progress.stage, progress.snapshot, progress.risks()))
    REMEMBERED.save()
    progress.done()


def _explore(case: Case, progress: Progress) -> None:
    progress.enter("build")
    file, text = targets.locate(case)
    progress.tell("file", file)
    progress.tell("code", text)
    way = targets.way_of(case, text)
    if way == "tf1":
        way_tf1.switch_on()  # before anything is built: control flow v1 is a switch for the whole process
    progress.tell("surroundings", surroundings(case))
    _seed(case.seed)
    load = partial(_first, case, file, text, progress)
    if case.speed_only:
        _begin(way, progress)
        speed.measure(case, way, load, progress)
        return
    follow(case, way, load, partial(_again, case, way, file, text), progress)


def follow(case: Case, way: Way, load: Load, again: Load, progress: Progress) -> None:
    """Everything about one program in one way; ``again`` makes it anew for the runs after the verdict."""
    _begin(way, progress)
    seen_closely = noting_births(closely=find_strategy(case.target) is None)
    with noting_names(), noting_layers(), noting_traced_functions(), seen_closely, whole_tracebacks():
        _WAYS[way](case, load, again, progress)
        after_verdict(case, way, again, progress)


def _begin(way: Way, progress: Progress) -> None:
    progress.way = way
    progress.tell("way", way)


def _first(case: Case, file: str, text: str, progress: Progress) -> targets.Program:
    """The program, with what cannot be observed of it."""
    program = targets.load(case, file, text)
    for sentence in (*program.limits, program.unmeasured):
        if sentence:
            progress.note(sentence)
    return program


def _again(case: Case, way: Way, file: str, text: str) -> targets.Program:
    """The program anew, with the random numbers and the names it had the first time."""
    keras = sys.modules.get("keras")
    if keras is not None and way != "tf1":  # would reset the graph that is being built
        keras.backend.clear_session()  # else a second `rnn` is called `rnn_1`
    _seed(case.seed)
    return targets.load(case, file, text)


def _graph(case: Case, load: Load, again: Load, progress: Progress, jit: bool = False) -> None:
    program = load()
    given = arrays(program.inputs, program.values, case.seed)
    way_graph.explore(program, given, case, progress, jit=jit)
    if not case.static_only and progress.snapshot is not None and progress.snapshot.loops:
        snapshot = progress.snapshot
        count = partial(trips.in_graph, program, given, snapshot, again)
        if case.probe and jit:
            probing.unwatched(snapshot, probing.XLA, progress)
        if case.probe and not jit:
            probing.in_graph(case, again, given, count, progress)
        else:
            progress.count_trips(count)


def _xla(case: Case, load: Load, again: Load, progress: Progress) -> None:
    _graph(case, load, again, progress, jit=True)


def _eager(case: Case, load: Load, again: Load, progress: Progress) -> None:
    program = load()
    given = arrays(program.inputs, program.values, case.seed)
    way_eager.explore(program, given, case, progress)
    if case.probe and not case.static_only and progress.snapshot is not None and progress.snapshot.loops:
        probing.eagerly(case, again, given, progress)


def _tf1(case: Case, load: Load, again: Load, progress: Progress) -> None:
    way_tf1.explore(case, load, again, progress)


_WAYS: dict[Way, Callable[[Case, Load, Load, Progress], Any]] = {
    "graph": _graph,
    "xla": _xla,
    "eager": _eager,
    "tf1": _tf1,
}


def _seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)


def surroundings(case: Case) -> Surroundings:
    """Choose the device, and say what it is."""
    gpus = tf.config.list_physical_devices("GPU")
    if case.device == "gpu" and not gpus:
        raise BadInput("TensorFlow sees no GPU here: choose --device cpu or auto.")
    if case.device == "cpu" and gpus:
        tf.config.set_visible_devices([], "GPU")
        gpus = []
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    import keras

    versions = {"tensorflow": tf.__version__, "keras": keras.__version__, "python": platform.python_version()}
    return Surroundings(gpus[0].name if gpus else "CPU", versions)
