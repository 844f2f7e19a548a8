"""What a reader waits for after a press: seconds on the server to fold, to switch an overlay, to click, to find.

``python -m tests.benchmarks.drawing`` prints the median of some tries for a nested LSTM, and the way of a large graph
to its first picture, with the number of elements drawn and the layout that placed them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median

from explorer.figure.plot import figure
from explorer.layout.finding import find
from explorer.layout.nest import Detail, decide
from explorer.layout.overlay import overlaid
from explorer.layout.values import Nest, Scene
from explorer.layout.way import way
from explorer.layout.worker import place_in_child, start_child
from explorer.model.verdict import Exploration, GradientFlow, Prediction
from tests.exploration_samples import Program, nested_lstm

OPS = 20_000
FIRST = "source:x"


def main(tries: int = 7) -> None:
    """Print everything."""
    start_child()
    place_in_child(decide(nested_lstm()))  # the child has loaded Graphviz when it answers
    small = nested_lstm("integer_cast")
    assert small.snapshot is not None
    snapshot, nest = small.snapshot, decide(small)
    scene = place_in_child(nest)
    rows: dict[str, Callable[[], object]] = {
        "first picture": lambda: drawn(place_in_child(decide(small))),
        "fold the outer loop": lambda: drawn(place_in_child(decide(small, "loop", frozenset({"map_fn"})))),
        "overlay": lambda: drawn(overlaid(scene, small, "type")),
        "click": lambda: figure(scene, "light", FIRST, way(nest, FIRST, small.flow)).to_json(),
        "search": lambda: find(nest, snapshot, "matmul"),
    }
    for name, step in rows.items():
        passed, worked = seconds(step, tries)
        print(f"nested LSTM, {name}: {passed:.3f} s, {worked:.3f} s of them at work in this process")
    for detail in ("loop", "nest"):
        large(detail)


def large(detail: Detail) -> None:
    """One long body, from the snapshot to the figure."""
    exploration = chain(OPS)
    begun, busy = time.perf_counter(), time.process_time()
    nest = decide(exploration, detail)
    decided = time.perf_counter()
    scene = place_in_child(nest)
    placed = time.perf_counter()
    size = len(drawn(scene)) / 1e6
    done = time.perf_counter()
    print(
        f"{OPS} ops, detail {detail}: decide {decided - begun:.2f} s, place {placed - decided:.2f} s ({scene.engine}), "
        f"paint {done - placed:.2f} s, in all {done - begun:.2f} s, "
        f"{time.process_time() - busy:.2f} s of them at work; {elements(nest)} elements, {size:.1f} MB"
    )


def chain(ops: int) -> Exploration:
    """So many ops, a matrix product after every four element-wise ones, two hundred rows of them side by side."""
    program = Program()
    ends = [program.source("x", (3, 10), "input")] * (ops // 100)
    for number in range(ops):
        row = number % len(ends)
        kind = "MatMul" if number // len(ends) % 5 == 0 else "Tanh"
        ends[row] = program.op(kind, ends[row], line=10 + number % 40)
    program.losses = (program.op("AddN", *ends),)
    bare = program.exploration(predicted=False)
    every = frozenset(range(len(program.tensors)))
    return replace(bare, flow=GradientFlow((Prediction("x", "flows", True),), (), every, every))


def elements(nest: Nest) -> int:
    """Cards, boxes and edges."""
    return len(nest.boxes) + len(nest.cards) + len(nest.links)


def drawn(scene: Scene) -> str:
    """As it is sent to the browser."""
    return str(figure(scene).to_json())


def seconds(step: Callable[[], object], tries: int) -> tuple[float, float]:
    """Medians of the time that passed and of the processor's time, which a busy machine does not lengthen."""
    passed, worked = [], []
    for _ in range(tries):
        begun, busy = time.perf_counter(), time.process_time()
        step()
        passed.append(time.perf_counter() - begun)
        worked.append(time.process_time() - busy)
    return median(passed), median(worked)


if __name__ == "__main__":
    main()
