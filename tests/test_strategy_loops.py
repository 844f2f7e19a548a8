"""The loops that each way of writing a loop over a loop leaves in the graph, and a cut in each of its places.

Weights and inputs are seeded normals, and the readout's gradient, which no breaker cuts, is asserted to flow.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.client import Engine
from explorer.model.verdict import Exploration
from explorer.strategies.breakers import find_breaker
from explorer.strategies.catalogue import get_strategy
from explorer.strategies.parse import make_case

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(300)]

INNER, OUTER = (7, 7, 7), (3,)
# API, depth and measured trips of each loop, in the order of the picture. What walks over time written out is no loop.
LOOPS = {
    "autograph_for": [("AutoGraph for", 1, OUTER), ("AutoGraph for", 2, INNER)],
    "autograph_while_break": [("AutoGraph while", 1, OUTER), ("AutoGraph while", 2, INNER)],
    "scan": [("map_fn", 1, OUTER), ("scan", 2, INNER)],
    "foldl": [("map_fn", 1, OUTER), ("foldl", 2, INNER)],
    "keras_ops_while_loop": [("keras.ops.while_loop", 1, OUTER), ("keras.ops.while_loop", 2, INNER)],
    # The first loop is keras.ops.map's own call on the first element, from which it learns the shape of the result.
    "keras_ops_scan": [("keras.ops.scan", 1, (7,)), ("map_fn", 1, OUTER), ("keras.ops.scan", 2, INNER)],
    "folded_batch": [("Keras RNN", 1, (7,))],
    "time_distributed": [("Keras RNN", 1, (7,))] * 3,
    "unrolled": [("map_fn", 1, OUTER)],
    "custom_cell": [("map_fn", 1, OUTER)],
    "vectorized_map": [],
    "xla_nested_while_loop": [("while_loop", 1, OUTER), ("while_loop", 2, INNER)],
}
OPS_OF_THE_MAP = pytest.mark.xfail(reason="every op that vectorized_map makes stands at its own line")
BROKEN = [
    pytest.param(key, breaker, place, marks=[OPS_OF_THE_MAP] if key == "vectorized_map" else [])
    for key in LOOPS
    for place, breaker in (("inner", "stop_gradient"), ("outer", "integer_cast"))
    if place in get_strategy(key).places
]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


def explore(engine: Engine, key: str, breaker: str | None = None, options: tuple[str, ...] = ()) -> Exploration:
    """With every dimension open that may be."""
    return engine.start(make_case(key, sizes=["x=3,5,7,10"], breaker=breaker, options=options)).wait(120)


@pytest.mark.parametrize("key", LOOPS)
def test_its_loops_are_found_and_every_gradient_flows(engine: Engine, key: str) -> None:
    found = explore(engine, key)
    assert found.outcome == "done", found.failure
    assert [c.status for c in found.conclusions] == ["flows"] * 5
    assert not found.disagreements
    assert found.snapshot is not None
    assert [(loop.api, loop.depth, found.trips[loop.id]) for loop in found.snapshot.loops] == LOOPS[key]
    assert {Path(found.snapshot.where(loop.stack).file).name for loop in found.snapshot.loops} <= {f"{key}.py"}


@pytest.mark.parametrize(("key", "breaker", "place"), BROKEN)
def test_a_cut_is_told_once_with_its_line(engine: Engine, key: str, breaker: str, place: str) -> None:
    found = explore(engine, key, f"{breaker}@{place}")
    assert found.outcome == "done", found.failure
    assert not found.disagreements
    status = {c.source.rsplit("/", 1)[-1]: c.status for c in found.conclusions}
    assert status.pop("readout") == "flows"
    assert set(status.values()) <= {"none-blocked", "zero-blocked"}
    (barrier,) = found.flow.barriers
    row = find_breaker(breaker)
    assert barrier.cause == row.cause
    assert found.code.splitlines()[barrier.location.line - 1].strip() == row.mistake.format(h="h")


SHAPED = [
    ("map_fn_keras_rnn", "bidirectional=true", [("map_fn", OUTER), ("Keras RNN", INNER), ("Keras RNN", INNER)]),
    ("tf1_map_fn_dynamic_rnn", "layers=2", [("map_fn", OUTER), ("dynamic_rnn", INNER), ("dynamic_rnn", INNER)]),
    ("python_loop_tape", "bidirectional=true", [("for", OUTER), ("for", INNER * 2)]),
]


@pytest.mark.parametrize(("key", "option", "loops"), SHAPED)
def test_an_option_makes_the_loops_it_speaks_of(
    engine: Engine, key: str, option: str, loops: list[tuple[str, tuple[int, ...]]]
) -> None:
    found = explore(engine, key, options=(option, "lengths=ragged"))
    assert found.outcome == "done", found.failure
    assert {c.status for c in found.conclusions} == {"flows"}
    assert [(loop.api, found.trips.get(loop.id, loop.runs)) for loop in found.snapshot.loops] == loops


def test_a_bound_lets_xla_build_the_backward_pass(engine: Engine) -> None:
    def compiled(*options: str) -> Exploration:
        case = make_case("nested_while_loop", ["x=3,5,7,10"], ["x=3,5,7,10"], options, way="xla")
        return engine.start(case).wait(120)

    assert "maximum_iterations" in compiled().failure.hint
    assert {c.status for c in compiled("maximum_iterations=7").conclusions} == {"flows"}


REFUSED = {
    "vectorized_map": ("backward", "Cannot convert a partially known TensorShape", "use tf.map_fn"),
    "unrolled": ("trace", "Cannot unroll a RNN", "give time a size"),
    "custom_cell": ("trace", "cannot be interpreted as an integer", "give the dimension a size"),
    "xla_nested_while_loop": ("trace", "Argument `size` must be provided", "give the dimension a size"),
}


@pytest.mark.parametrize("key", REFUSED)
def test_where_a_dimension_must_have_a_size_tensorflow_says_so_and_we_what_to_write(engine: Engine, key: str) -> None:
    found = engine.start(make_case(key, ["x=None,None,None,10"], ["x=3,5,7,10"])).wait(120)
    stage, message, remedy = REFUSED[key]
    assert found.outcome == "raised"
    assert (found.failure.stage, Path(found.failure.location.file).name) == (stage, f"{key}.py")
    assert message in found.failure.message
    assert remedy in found.failure.hint
    assert not found.disagreements


@pytest.mark.parametrize("key", ["autograph_for", "custom_cell", "unrolled", "keras_ops_scan"])
def test_its_options_reach_the_model(engine: Engine, key: str) -> None:
    """All is float64; a recurrent kernel of zeros still has a gradient of its own."""
    found = explore(engine, key, options=("scale=0", "dtype=float64", "cell=SimpleRNN"))
    assert found.outcome == "done", found.failure
    assert {source.dtype for source in found.snapshot.sources} == {"float64"}
    assert {c.status for c in found.conclusions} == {"flows"}
