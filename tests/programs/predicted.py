"""What the explorer says about a program, asked of the product's own ways, without a backward pass."""

from __future__ import annotations

from typing import Any

from explorer.engine import way_eager, way_graph, way_tf1
from explorer.engine.progress import Progress
from explorer.engine.targets import Program as Target
from explorer.model.case import Case, InputSpec
from explorer.model.verdict import Prediction
from tests.programs.build import WIDTH, arrays, build, make_world
from tests.programs.grammar import Program

_STATIC = Case(target="random program", static_only=True)


def target(program: Program, values: tuple[Any, ...], tf1: bool = False) -> Target:
    """A fresh instance of the program, as the product takes it."""
    world = make_world(program, tf1)
    feeds = InputSpec("feeds", (max(1, program.feeds),), "int32")
    return Target(
        fn=build(program, world),
        inputs=(InputSpec("x", (WIDTH,)), InputSpec("y", (WIDTH,)), feeds),
        values=values,
        variables=list(world.variables.values()),
        call_first=False,
    )


def predicted(program: Program, way: str, seed: int) -> dict[str, Prediction]:
    """The prediction for each source. ``seed`` matters where the prediction is for one run (eager)."""
    progress = Progress(lambda *_: None)
    values = arrays(program, seed)
    if way == "graph":
        way_graph.explore(target(program, values), values, _STATIC, progress, jit=False)
    elif way == "eager":
        way_eager.explore(target(program, values), values, _STATIC, progress)
    else:

        def load() -> Target:
            return target(program, values, tf1=True)

        way_tf1.explore(_STATIC, load, load, progress)
    assert progress.flow is not None
    return {p.source: p for p in progress.flow.predictions}
