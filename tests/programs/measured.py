"""What TensorFlow itself answers, without any of the explorer's code: a fresh instance of the program, differentiated.

A gradient is None, or a number: its largest absolute value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tests.programs.build import World, arrays, build, make_world
from tests.programs.grammar import Program

Gradients = dict[str, float | None]
Run = Callable[[int], Gradients]
"""Runs the program with the values of a seed."""

v1 = tf.compat.v1


def measured(program: Program, way: str) -> Run:
    """The function that runs a program in a way."""
    return {"graph": _in_graph, "eager": _eagerly, "tf1": _in_session}[way](program)


def _sources(world: World, x: Any, y: Any) -> dict[str, Any]:
    return {"x": x, "y": y, **world.variables}


def _largest(gradient: Any) -> float:
    return float(np.abs(np.asarray(gradient, np.float64)).max())


def _dense(gradient: Any) -> Any:
    return tf.convert_to_tensor(gradient)  # adds up the duplicates of an IndexedSlices


def _in_graph(program: Program) -> Run:
    world = make_world(program)
    fn = build(program, world)
    unanswered: list[str] = []

    @tf.function(autograph=False)
    def step(x: Any, y: Any, feeds: Any) -> dict[str, Any]:
        sources = _sources(world, x, y)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            outputs = fn(x, y, feeds)
        found = tape.gradient(outputs, sources)
        unanswered[:] = [name for name, gradient in found.items() if gradient is None]
        return {name: _dense(g) for name, g in found.items() if g is not None}

    def once(seed: int) -> Gradients:
        found = step(*map(tf.constant, arrays(program, seed)))
        return {name: _largest(g.numpy()) for name, g in found.items()} | dict.fromkeys(unanswered)

    return once


def _eagerly(program: Program) -> Run:
    def once(seed: int) -> Gradients:
        world = make_world(program)
        x, y, feeds = map(tf.constant, arrays(program, seed))
        sources = _sources(world, x, y)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            outputs = build(program, world)(x, y, feeds)
        found = tape.gradient(outputs, sources)
        return {name: None if g is None else _largest(_dense(g).numpy()) for name, g in found.items()}

    return once


def _in_session(program: Program) -> Run:
    graph = tf.Graph()
    with graph.as_default():
        world = make_world(program, tf1=True)
        inputs = [v1.placeholder(a.dtype, a.shape) for a in arrays(program, 0)]
        outputs = build(program, world)(*inputs)
        sources = _sources(world, *inputs[:2])
        answers = dict(zip(sources, v1.gradients(outputs, list(sources.values())), strict=True))
        asked = {name: _dense(g) for name, g in answers.items() if g is not None}
        begin = v1.global_variables_initializer()

    def once(seed: int) -> Gradients:
        with v1.Session(graph=graph) as session:
            session.run(begin)
            found = session.run(asked, dict(zip(inputs, arrays(program, seed), strict=True)))
        return dict.fromkeys(answers) | {name: _largest(g) for name, g in found.items()}

    return once
