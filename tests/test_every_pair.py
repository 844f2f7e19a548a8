"""Each strategy with each breaker, each in each way it means something in, against what must come out.

Two jobs of the engine run at once. Whatever happens, nothing is said to flow for which TensorFlow gives no gradient,
and what TensorFlow refuses comes with what it means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from explorer.client import Engine
from explorer.model.graph import Location
from explorer.model.verdict import Exploration
from explorer.strategies.parse import make_case
from tests.pairs import SIZES, Pair, every_pair

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(300)]

Explored = Callable[[Pair], Exploration]

# What a status may be measured as.
MEASURED = {
    "flows": {"finite"},
    "vanishing": {"finite"},
    "exploding": {"finite"},
    "zero": {"zero"},
    "zero-blocked": {"zero"},
    "none-blocked": {"none"},
    "none-disconnected": {"none"},
    "not-trainable": {"none", "finite", "zero"},  # tf.gradients asks for no trainable=True
    "nan": {"nan"},
    "inf": {"inf"},
}
# With static shapes TensorFlow makes a constant of ones_like: nothing reads the value any more.
ALSO = {"replaced": {"result_dropped"}}


@pytest.fixture(scope="module")
def explored(request: pytest.FixtureRequest) -> Iterator[Explored]:
    """Runs what was chosen, two at once and in the order of the tests, and waits for one of them."""
    chosen = [item.callspec.params["pair"] for item in request.session.items if item.path == request.path]
    with Engine() as engine, ThreadPoolExecutor(2) as pool:
        runs = {str(pair): pool.submit(explore, engine, pair) for pair in chosen}
        yield lambda pair: runs[str(pair)].result()
        pool.shutdown(cancel_futures=True)


def explore(engine: Engine, pair: Pair) -> Exploration:
    case = make_case(
        pair.strategy.key,
        inputs=[f"x={pair.shape}"],
        sizes=[f"x={','.join(map(str, SIZES))}"],
        breaker=f"{pair.breaker.key}@{pair.place}",
        way=pair.way,
        options=[f"cell={pair.cell}"],
    )
    return engine.start(case).wait(120)


@pytest.mark.parametrize("pair", every_pair(), ids=str)
def test_it_is_told_or_refused(explored: Explored, pair: Pair) -> None:
    found = explored(pair)
    assert not found.disagreements
    if found.outcome == "raised":
        assert found.failure is not None
        assert found.failure.hint, found.failure.message
        assert found.failure.stage == "backward" or in_the_sample(found.failure.location, pair)
        return
    assert found.outcome == "done", found.failure
    measured = {m.source: m.measured for m in found.run.measurements}
    assert all(measured[c.source] in MEASURED[c.status] for c in found.conclusions), (found.conclusions, measured)
    if pair.breaker.effect == "number":
        number_is_told(found, pair)
    elif (pair.breaker.key, pair.way) == ("back_prop_false", "eager"):  # there is no loop to switch it off in
        assert {c.status for c in found.conclusions} == {"flows"}
    else:
        cut_is_told(found, pair)


def number_is_told(found: Exploration, pair: Pair) -> None:
    bad = {"nan", "inf"} & {c.status for c in found.conclusions}
    if pair.way == "xla" and not found.numerics:  # XLA computes otherwise, and cannot be watched
        assert found.notes or not bad
        return
    assert bad
    if pair.strategy.key == "vectorized_map":  # its ops cannot be watched, or stand at no line
        assert found.notes or found.numerics
        return
    assert pair.breaker.cause in [number.cause for number in found.numerics], found.notes
    assert any(at_the_mistake(number.location, pair) for number in found.numerics)


def cut_is_told(found: Exploration, pair: Pair) -> None:
    causes = {p.cause for p in found.flow.predictions}
    if pair.breaker.key in ALSO and causes & ALSO[pair.breaker.key]:
        return
    # vectorized_map unrolls a loop of its own: what cuts there is what that loop is made of.
    expected = {pair.breaker.cause} | ({"stop_gradient"} if pair.breaker.key == "back_prop_false" else set())
    assert causes & expected, (causes, found.flow.barriers)
    told = [barrier.location for barrier in found.flow.barriers if barrier.cause in expected]
    if told and pair.strategy.key != "vectorized_map":  # whose ops stand at its own line
        assert any(at_the_mistake(location, pair) for location in told), told


def in_the_sample(location: Location | None, pair: Pair) -> bool:
    return location is not None and Path(location.file).name == pair.strategy.file


def at_the_mistake(location: Location | None, pair: Pair) -> bool:
    """Whether this is the line of the mistake, where the file has the mark of its place."""
    if not in_the_sample(location, pair):
        return False
    return f"# breaker @{pair.place}" in Path(location.file).read_text().splitlines()[location.line - 1]
