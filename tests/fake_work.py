"""Stands in for the engine's work: no TensorFlow, and every way in which a user's program can end.

The case's target picks the behaviour; its option ``file`` names a file in which process ids are left for the test.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from explorer.model.case import Case
from explorer.model.graph import Op, Snapshot, Tensor
from explorer.model.verdict import BackwardRun, Failure, Measurement, Surroundings

Emit = Callable[[str, Any], None]

SNAPSHOT = Snapshot(
    ops=(Op(0, "Placeholder", "x", 0, "", (), (0,), 0), Op(1, "Sum", "loss", 0, "", (0,), (1,), 0)),
    tensors=(Tensor(0, 0, "float32", (None, 10), True), Tensor(1, 1, "float32", (), True)),
    graphs=(), stacks=((),), signatures=(), loops=(), sources=(), losses=(1,), control_flow="v2",
)  # fmt: skip
RUN = BackwardRun((Measurement("x", "nan", float("nan"), 10), Measurement("y", "inf", float("inf"), 1)), loss=1.5)


def explore(case: Case, emit: Emit) -> None:
    """What the host calls."""
    _BEHAVIOURS[case.target](case, emit)


def _done(case: Case, emit: Emit) -> None:
    for stage in ("build", "trace"):
        emit("stage", stage)
        emit("seconds", {stage: 0.5})
    emit("snapshot", SNAPSHOT)
    emit("trips", {"outer": (3,)})
    emit("trips", {"outer/inner": (7, 7, 7)})
    emit("stage", "backward")
    emit("run", RUN)
    emit("surroundings", Surroundings("cpu", {"folder": os.getcwd()}))


def _voluminous(case: Case, emit: Emit) -> None:
    _leave_pids(case, os.getpid())
    emit("run", RUN)
    emit("code", "x" * (4 << 20))


def _escaping(case: Case, emit: Emit) -> None:
    """Leave behind a process that has left the group and holds every pipe open."""
    emit("stage", "backward")
    if os.fork() == 0:
        os.setsid()
        _leave_pids(case, os.getpid())
        signal.pause()
    os.kill(os.getpid(), signal.SIGABRT)


def _failing(case: Case, emit: Emit) -> None:
    emit("stage", "trace")
    emit("failure", Failure("trace", "ValueError", "Shapes differ."))


def _raising(case: Case, emit: Emit) -> None:
    emit("stage", "build")
    raise LookupError("no gradient")


def _leaving(case: Case, emit: Emit) -> None:
    sys.exit("the model file left")


def _crashing(case: Case, emit: Emit) -> None:
    emit("snapshot", SNAPSHOT)
    emit("stage", "backward")
    os.kill(os.getpid(), signal.SIGSEGV)


def _exiting(case: Case, emit: Emit) -> None:
    sys.stderr.write("last words\n")
    os._exit(7)


def _endless(case: Case, emit: Emit) -> None:
    _leave_pids(case, os.getpid())
    emit("snapshot", SNAPSHOT)
    emit("stage", "backward")
    while True:  # the line that the failure must name
        pass


def _hungry(case: Case, emit: Emit) -> None:
    emit("stage", "backward")
    hoard = []
    while True:
        hoard.append(bytearray(os.urandom(1 << 20)))


def _printing(case: Case, emit: Emit) -> None:
    line = "x" * 999 + "\n"
    for _ in range(5_000):
        sys.stdout.write(line)
        os.write(2, line.encode())
    emit("stage", "trace")


def _forking(case: Case, emit: Emit) -> None:
    child = os.fork()
    if child == 0:
        signal.pause()
    sleeper = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    _leave_pids(case, os.getpid(), child, sleeper.pid)
    emit("stage", "backward")
    if dict(case.options).get("stay"):
        signal.pause()


def _unsendable(case: Case, emit: Emit) -> None:
    emit("seconds", {"build": object()})


def _wrong_type(case: Case, emit: Emit) -> None:
    emit("seconds", {"build": "long"})


def _leave_pids(case: Case, *pids: int) -> None:
    if file := dict(case.options).get("file"):
        part = Path(f"{file}.part")
        part.write_text(" ".join(map(str, pids)))
        part.rename(str(file))


_BEHAVIOURS: dict[str, Callable[[Case, Emit], None]] = {
    "done": _done,
    "voluminous": _voluminous,
    "escaping": _escaping,
    "failing": _failing,
    "raising": _raising,
    "leaving": _leaving,
    "crashing": _crashing,
    "exiting": _exiting,
    "endless": _endless,
    "hungry": _hungry,
    "printing": _printing,
    "forking": _forking,
    "unsendable": _unsendable,
    "wrong type": _wrong_type,
}


def trivial_gradient(case: Case, emit: Emit) -> None:
    """With real TensorFlow: a tf.function differentiated in the forked child."""
    import tensorflow as tf

    emit("stage", "backward")

    @tf.function
    def loss(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.map_fn(lambda row: row * row, x))

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loss(x)
    norm = float(tf.norm(tape.gradient(y, x)))
    emit("run", BackwardRun((Measurement("x", "finite", norm, 2),), loss=float(y)))
    emit("surroundings", Surroundings(tf.config.list_logical_devices()[0].device_type, {"tensorflow": tf.__version__}))


def threads_of_server(case: Case, emit: Emit) -> None:
    """The names of the threads that the fork server has beside its main one."""
    server = os.getppid()
    others = (file for file in Path(f"/proc/{server}/task").iterdir() if file.name != str(server))
    emit("memory", {(file / "comm").read_text().strip(): 0.0 for file in others})
