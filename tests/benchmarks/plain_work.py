"""What TensorFlow itself needs for one case: build, trace, differentiate, run. The yardstick of ``exploration``."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from explorer.engine import targets
from explorer.engine.inputs import arrays, signature
from explorer.model.case import Case


def explore(case: Case, emit: Callable[[str, Any], None]) -> None:
    """The work of an engine's child, without the explorer: tells only the seconds."""
    began = time.perf_counter()
    file, text = targets.locate(case)
    way = targets.way_of(case, text)
    if way == "tf1":
        tf.compat.v1.disable_v2_behavior()
        with tf.Graph().as_default():
            _session(targets.load(case, file, text), case)
    else:
        program = targets.load(case, file, text)
        given = arrays(program.inputs, program.values, case.seed)
        constants = [tf.constant(a, spec.dtype) for a, spec in zip(given, program.inputs, strict=True)]
        run = _step(program) if way == "eager" else tf.function(_step(program), signature(program.inputs))
        run(*constants)
    emit("seconds", {"plain": time.perf_counter() - began})


def _step(program: targets.Program) -> Callable[..., Any]:
    def step(*xs: tf.Tensor) -> Any:
        with tf.GradientTape() as tape:
            for x in xs:
                tape.watch(x)
            loss = program.fn(*xs)
        assert isinstance(program.variables, list)
        return loss, tape.gradient(loss, [*xs, *program.variables])

    return step


def _session(program: targets.Program, case: Case) -> None:
    v1 = tf.compat.v1
    inputs = [v1.placeholder(s.dtype, s.shape) for s in program.inputs]
    loss = program.fn(*inputs)
    assert isinstance(program.variables, list)
    gradients = v1.gradients(loss, [*inputs, *program.variables])
    given = arrays(program.inputs, program.values, case.seed)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        session.run([loss, gradients], dict(zip(inputs, given, strict=True)))
