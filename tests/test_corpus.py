"""Real ways to lose a gradient, each run through the engine and held against TensorFlow and against EXPECT.

What TensorFlow does is asked of TensorFlow (corpus_truth.py, which knows nothing of the explorer), so a new version
changes the answer on both sides; EXPECT says what is ours: status, cause and line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from explorer.client import Engine
from explorer.model.case import Case
from explorer.model.verdict import Exploration
from tests.corpus_known import KNOWN
from tests.corpus_reader import read_corpus

TRUTH = Path(__file__).resolve().parent / "corpus_truth.py"
CORPUS = read_corpus()
KEYS = [(name, way) for name, case in CORPUS.items() for way in case.expect]
ENDLESS_TIMEOUT = 6.0

# The first test that compares waits for TensorFlow's own answers to all cases.
pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(400)]


def ask_tensorflow(keys: list[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Any]]:
    """One start of TensorFlow for all the cases that one process can run."""
    wanted = [(n, way) for n, way in keys if CORPUS[n].expect[way] != "timed_out"]
    if not wanted:
        return {}
    done = subprocess.run(
        [sys.executable, str(TRUTH)], input=json.dumps([(str(CORPUS[n].path), way) for n, way in wanted]),
        text=True, capture_output=True, check=False, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = [json.loads(line[7:]) for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return dict(zip(wanted, found, strict=True))


class Explorer:
    """Explorations by case and way; the next one runs while a test looks at this one."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._jobs, self._done = engine, {}, {}

    def get(self, key: tuple[str, str]) -> Exploration:
        if key not in self._done:
            at = KEYS.index(key)
            for ahead in KEYS[at : at + 2]:
                if ahead not in self._done and ahead not in self._jobs:
                    self._jobs[ahead] = self._engine.start(self._case(ahead))
            self._done[key] = self._jobs.pop(key).wait(300)
        return self._done[key]

    def _case(self, key: tuple[str, str]) -> Case:
        name, way = key
        endless = CORPUS[name].expect[way] == "timed_out"
        return Case(str(CORPUS[name].path), way=way, timeout=ENDLESS_TIMEOUT if endless else 120.0)


class TensorFlow:
    """What TensorFlow says of these cases and ways; asked while the first explorations run."""

    def __init__(self, asked: ThreadPoolExecutor, keys: list[tuple[str, str]]) -> None:
        self._told: dict[bool, Future[dict[tuple[str, str], dict[str, Any]]]] = {
            tf1: asked.submit(ask_tensorflow, [key for key in keys if (key[1] == "tf1") == tf1])
            for tf1 in (False, True)
        }

    def says(self, name: str, way: str) -> dict[str, Any]:
        return self._told[way == "tf1"].result()[name, way]


@pytest.fixture(scope="module")
def tensorflow(request: pytest.FixtureRequest) -> Iterator[TensorFlow]:
    """Asked only about the tests that were chosen."""
    chosen = {item.callspec.id for item in request.session.items if hasattr(item, "callspec")}
    with ThreadPoolExecutor(2) as asked:
        yield TensorFlow(asked, [key for key in KEYS if "-".join(key) in chosen])


@pytest.fixture(scope="module")
def explorer(tensorflow: TensorFlow) -> Iterator[Explorer]:
    """TensorFlow works beside it, so the tests that need no answer of TensorFlow stand first."""
    with Engine() as engine:
        yield Explorer(engine)


def known(keys: list[tuple[str, str]], test: str) -> list[Any]:
    """The keys as parameters; what is known to be wrong must fail, and says why."""
    marks = {key: pytest.mark.xfail(reason=KNOWN[test][key]) if key in KNOWN[test] else () for key in keys}
    return [pytest.param(*key, id="-".join(key), marks=marks[key]) for key in keys]


RUNS = [(n, way) for n, way in KEYS if isinstance(CORPUS[n].expect[way], dict)]
RAISES = [(n, way) for n, way in KEYS if str(CORPUS[n].expect[way]).startswith("raises")]
ENDLESS = [(n, way) for n, way in KEYS if CORPUS[n].expect[way] == "timed_out"]
WARNED = [(n, way) for n, way in KEYS if CORPUS[n].warned_at(way)]


@pytest.mark.parametrize(("name", "way"), known(RUNS, "status"))
def test_the_status_is_the_expected_one(name, way, explorer):
    found = explorer.get((name, way))
    expected = {source: words.split()[0] for source, words in CORPUS[name].expect[way].items()}
    assert {c.source: c.status for c in found.conclusions} == expected


@pytest.mark.parametrize(("name", "way"), known(RUNS, "cause"))
def test_the_cause_and_its_line_are_the_expected_ones(name, way, explorer):
    case, found = CORPUS[name], explorer.get((name, way))
    statuses = {c.source: c.status for c in found.conclusions}
    for source, words in case.expect[way].items():
        _, _, cause = words.partition(" ")
        if statuses[source] in ("nan", "inf"):
            told = {(n.cause, n.location.line) for n in found.numerics if n.location}
        else:
            told = told_causes(found, source)
        if not cause:
            assert told == set(), source
            continue
        line = case.line_of(source, cause, way)
        assert (cause, line) in told or (line is None and cause in {c for c, _ in told}), (source, told)


def told_causes(found: Exploration, source: str) -> set[tuple[str, int | None]]:
    """The cause of the source with each line that its barriers of that cause name."""
    prediction = next(p for p in found.flow.predictions if p.source == source)
    barriers = {b.id: b for b in found.flow.barriers}
    cuts = [barriers[b] for b in prediction.barriers]
    lines = {b.location.line for b in cuts if b.location and b.cause == prediction.cause}
    if prediction.cause is None:
        return set()
    if not lines:  # a variable that is never read stands nowhere in the program, only where it was made
        made = next(s.location for s in found.snapshot.sources if s.name == source)
        lines = {made.line if made else None}
    return {(prediction.cause, line) for line in lines}


@pytest.mark.parametrize(("name", "way"), known(RUNS, "measured"))
def test_what_is_measured_is_what_tensorflow_says(name, way, explorer, tensorflow):
    told = tensorflow.says(name, way)
    found = explorer.get((name, way))
    assert found.outcome == "done", found.failure
    assert "gradients" in told, told
    assert [m.measured for m in found.run.measurements] == [state for state, _ in told["gradients"]]
    for measurement, (_, norm) in zip(found.run.measurements, told["gradients"], strict=True):
        if norm is not None:
            assert measurement.norm == pytest.approx(norm, rel=1e-3), measurement.source


@pytest.mark.parametrize(("name", "way"), known(RUNS, "sound"))
def test_prediction_and_tensorflow_agree(name, way, explorer, tensorflow):
    """And ``flows`` is never said where TensorFlow gives None, or a zero that stands for None."""
    told = tensorflow.says(name, way)
    found = explorer.get((name, way))
    assert [d.sentence for d in found.disagreements] == []
    predicted = {p.source: p for p in found.flow.predictions}
    for conclusion, (state, _) in zip(found.conclusions, told["gradients"], strict=True):
        if state in ("none", "zero"):
            assert conclusion.status != "flows", conclusion
        if state in ("none", "zero", "finite") and way != "tf1":  # a TF1 loop answers whatever its frames hold
            assert predicted[conclusion.source].answered == (state != "none"), conclusion
        if state == "none":
            assert predicted[conclusion.source].predicted != "flows", conclusion


@pytest.mark.parametrize(("name", "way"), known(RAISES, "raises"))
def test_what_raises_in_tensorflow_raises_here_and_names_the_line(name, way, explorer, tensorflow):
    case, found = CORPUS[name], explorer.get((name, way))
    told = tensorflow.says(name, way)
    assert "raised" in told, told
    assert found.outcome == "raised"
    assert case.expect[way] == f"raises {found.failure.type}"
    if case.raises_at is not None:
        assert found.failure.location is not None
        assert found.failure.location.line == case.raises_at


@pytest.mark.parametrize(("name", "way"), known(WARNED, "warned"))
def test_a_known_danger_is_warned_of_with_its_line(name, way, explorer):
    case, found = CORPUS[name], explorer.get((name, way))
    places = [risk.location for risk in found.flow.risks]
    places += [barrier.location for barrier in found.flow.barriers if barrier.loud]
    assert case.warned_at(way) in {place.line for place in places if place}


@pytest.mark.parametrize(("name", "way"), known(ENDLESS, "endless"))
def test_an_endless_loop_ends_at_the_time_limit_with_its_loop_named(name, way, explorer):
    case, found = CORPUS[name], explorer.get((name, way))
    assert found.outcome == "timed_out"
    assert found.snapshot is not None
    places = [found.snapshot.where(loop.stack) for loop in found.snapshot.loops]
    assert [place.line for place in places if place] == [case.raises_at]
    assert found.failure.location is not None
    assert found.failure.location.line == case.raises_at


def test_the_corpus_is_large_and_every_known_fault_is_in_it():
    assert len(CORPUS) >= 130
    assert {key for keys in KNOWN.values() for key in keys} <= set(KEYS)
