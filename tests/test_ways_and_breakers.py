"""Every strategy, healthy and with each breaker in each place, through the engine, against what must come out.

The problem cannot be trivially zero: weights and inputs are seeded normals, and the readout's gradient, which no
breaker cuts, is asserted to be finite in every case.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.client import Engine
from explorer.model.graph import Location
from explorer.model.verdict import Exploration
from explorer.strategies.breakers import Breaker
from explorer.strategies.catalogue import STRATEGIES
from explorer.strategies.parse import make_case
from explorer.strategies.strategy import Strategy
from tests.pairs import BROKEN, FIRST

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(300)]

CONTROL_FLOW = {
    "map_fn_keras_rnn": "v2",
    "nested_while_loop": "v2",
    "python_loop_tape": "eager",
    "tf1_map_fn_dynamic_rnn": "v1",
}
NESTED = [strategy for strategy in STRATEGIES if strategy.key in FIRST]
# The source that each of these takes from the others, and what is said of it.
ONE_SOURCE = {
    "unused_weight": ("unused", "none-disconnected"),
    "not_trainable": ("frozen", "not-trainable"),
    "not_watched": ("x", "none-blocked"),
}
REFUSED = ("numpy", "py_function")  # a graph has no value to hand out, and loses the tape of a py_function in a loop


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


def explore(engine: Engine, strategy: Strategy, breaker: str | None = None, cell: str = "LSTM") -> Exploration:
    return engine.start(
        make_case(
            strategy.key,
            inputs=["x=None,None,None,10"],
            sizes=["x=3,5,7,10"],
            breaker=breaker,
            options=[f"cell={cell}"],
        )
    ).wait(120)


@pytest.mark.parametrize("cell", ["SimpleRNN", "GRU", "LSTM"])
@pytest.mark.parametrize("strategy", NESTED, ids=lambda s: s.key)
def test_healthy(engine: Engine, strategy: Strategy, cell: str) -> None:
    found = explore(engine, strategy, cell=cell)
    assert found.outcome == "done", found.failure
    assert {c.status for c in found.conclusions} == {"flows"}
    assert len(found.conclusions) == 5
    assert not found.disagreements
    assert found.snapshot is not None
    assert found.snapshot.control_flow == CONTROL_FLOW[strategy.key]
    outer, inner = found.snapshot.loops
    assert (outer.depth, inner.depth, inner.parent) == (1, 2, outer.id)
    assert found.trips[outer.id] == (3,)
    assert found.trips[inner.id] == (7, 7, 7)
    assert {Path(found.snapshot.where(loop.stack).file).name for loop in (outer, inner)} == {strategy.file}


@pytest.mark.parametrize(("strategy", "breaker", "place"), BROKEN, ids=[f"{s.key}-{b.key}@{p}" for s, b, p in BROKEN])
def test_broken(engine: Engine, strategy: Strategy, breaker: Breaker, place: str) -> None:
    found = explore(engine, strategy, f"{breaker.key}@{place}")
    assert not found.disagreements
    if (breaker.key in REFUSED and strategy.way != "eager") or found.outcome == "raised":
        assert breaker.key in REFUSED
        refused(found, strategy, place)
    elif breaker.key == "back_prop_false" and strategy.way == "eager":
        assert {c.status for c in found.conclusions} == {
            "flows"
        }  # an eager loop is a Python loop: nothing to switch off
    elif breaker.key in ONE_SOURCE:
        one_source_lost(found, strategy, breaker, place)
    elif breaker.key == "result_dropped":
        dropped(found, strategy, place)
    elif breaker.effect == "number":
        bad_number(found, strategy, breaker, place)
    else:
        cut(found, strategy, breaker, place)


def refused(found: Exploration, strategy: Strategy, place: str) -> None:
    """TensorFlow itself raises; the line and what it means are told."""
    assert found.failure is not None
    assert found.failure.hint
    assert line_at(found, found.failure.location, strategy, place) or found.failure.stage == "backward"


def bad_number(found: Exploration, strategy: Strategy, breaker: Breaker, place: str) -> None:
    assert found.outcome == "done", found.failure
    assert found.flow is not None
    assert not found.flow.barriers
    assert {"nan", "inf"} & {c.status for c in found.conclusions}
    assert breaker.cause in [bad.cause for bad in found.numerics], found.notes
    assert any(line_at(found, bad.location, strategy, place) for bad in found.numerics)


def one_source_lost(found: Exploration, strategy: Strategy, breaker: Breaker, place: str) -> None:
    """A mistake about one source, which the others do not feel; its line is told."""
    assert found.outcome == "done", found.failure
    name, expected = ONE_SOURCE[breaker.key]
    status = {c.source.rsplit("/", 1)[-1]: c.status for c in found.conclusions}
    assert status.pop(name) == expected
    assert len(status) == (5 if breaker.key == "unused_weight" else 4)
    assert set(status.values()) == {"flows"}
    assert next(p.cause for p in found.flow.predictions if p.source == name) == breaker.cause
    told = [barrier.location for barrier in found.flow.barriers]
    told = told or [source.location for source in found.snapshot.sources if source.name == name]
    assert [line_at(found, where, strategy, place) for where in told] == [True]


def dropped(found: Exploration, strategy: Strategy, place: str) -> None:
    """The state stays zero, and so does the readout's gradient; the weights end at the line that drops the new one."""
    assert found.outcome == "done", found.failure
    status = {c.source.rsplit("/", 1)[-1]: c.status for c in found.conclusions}
    assert status.pop("readout") == "zero"
    assert set(status.values()) <= {"none-disconnected", "zero-blocked"}
    causes = {p.source.rsplit("/", 1)[-1]: p.cause for p in found.flow.predictions}
    assert {causes[name] for name in ("kernel", "recurrent_kernel", "bias")} == {"result_dropped"}
    told = [barrier.location for barrier in found.flow.barriers if barrier.cause == "result_dropped"]
    assert told
    assert all(line_at(found, where, strategy, place) for where in told)


def cut(found: Exploration, strategy: Strategy, breaker: Breaker, place: str) -> None:
    assert found.outcome == "done", found.failure
    assert found.flow is not None
    assert found.run is not None
    assert found.snapshot is not None
    status = {c.source.rsplit("/", 1)[-1]: c.status for c in found.conclusions}
    assert status.pop("readout") == "flows"
    assert set(status) == {"x", "kernel", "recurrent_kernel", "bias"}
    allowed = {"none-blocked", "zero-blocked"} | ({"none-disconnected"} if breaker.cause == "shape_only" else set())
    assert set(status.values()) <= allowed
    measured = {m.source.rsplit("/", 1)[-1]: m.measured for m in found.run.measurements}
    assert all((measured[name] == "zero") == (told == "zero-blocked") for name, told in status.items())
    (barrier,) = found.flow.barriers
    assert barrier.cause == breaker.cause
    loops = found.snapshot.loops
    if breaker.key in ("back_prop_false", "carry_replaced", "numpy"):
        # The first two bring a small loop of their own, where they leave their mark; a value that leaves TensorFlow
        # by .numpy() is told in the loop that made it, at the line where it leaves.
        depth = next(loop.depth for loop in loops if loop.id == barrier.loop)
        assert depth - (1 if place == "outer" else 2) in (0, 1)
    else:
        assert barrier.loop == loops[0 if place == "outer" else 1].id
    assert line_at(found, barrier.location, strategy, place)
    assert not barrier.loud


def line_at(found: Exploration, location: Location | None, strategy: Strategy, place: str) -> bool:
    """Whether this is the line of the mistake, where the file has the mark of its place."""
    if location is None or Path(location.file).name != strategy.file:
        return False
    return f"# breaker @{place}" in Path(location.file).read_text().splitlines()[location.line - 1]


@pytest.mark.parametrize("way", ["eager", "graph", "xla"])
@pytest.mark.parametrize("key", ["map_fn_keras_rnn", "nested_while_loop"])
def test_other_ways_agree_or_refuse(engine: Engine, key: str, way: str) -> None:
    """Eager and graph give the same answer; XLA delivers it too, or refuses with a sentence (loops without a bound)."""
    case = make_case(key, inputs=["x=3,5,7,10"], way=way)
    found = engine.start(case).wait(120)
    assert not found.disagreements
    assert found.snapshot is not None
    assert len(found.snapshot.loops) >= 2
    statuses = {c.status for c in found.conclusions}
    if way == "xla" and found.outcome == "raised":
        assert statuses == {"raised"}
        assert found.failure.hint
    else:
        assert statuses == {"flows"}


def test_crash_in_the_backward_pass_keeps_the_picture(engine: Engine) -> None:
    """jit_compile over open dimensions ends in a segmentation fault in TensorFlow 2.21."""
    found = engine.start(make_case("map_fn_keras_rnn", inputs=["x=None,None,None,10"], way="xla")).wait(120)
    assert found.outcome == "crashed"
    assert "SIGSEGV" in found.failure.message
    assert len(found.snapshot.loops) == 2
    assert {p.predicted for p in found.flow.predictions} == {"flows"}
    assert {c.status for c in found.conclusions} == {"unobserved"}
    assert engine.start(make_case("nested_while_loop")).wait(120).outcome == "done"


def test_endless_loop_ends_at_the_limit_and_is_named(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "endless.py"
    file.write_text(
        "import tensorflow as tf\n"
        "def fn(x):\n"
        "    return tf.while_loop(lambda i, h: i < 3, lambda i, h: (i, tf.sin(h)), (0, x))[1]\n"
    )
    found = engine.start(make_case(f"{file}:fn", inputs=["x=4"], timeout=30)).wait(120)
    assert found.outcome == "timed_out"
    assert [r.cause for r in found.flow.risks] == ["endless_loop"]
    from explorer.rules.sentence import verdict

    assert "endless.py:3" in verdict(found)
