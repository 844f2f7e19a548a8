"""All sample models compute the same gradient, and a breaker cuts what lies before it and nothing else.

Independent runs of one problem are the oracle for each other: the eager tape, two kinds of graph, and TF1's session.
The weights are random and the loss is a mean of squares behind a random readout, so no gradient is zero by chance.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.strategies.breakers import BREAKERS
from explorer.strategies.catalogue import STRATEGIES
from explorer.strategies.strategy import SOURCES

ROOT = Path(__file__).resolve().parent.parent
CHILD = ROOT / "tests" / "sample_gradients.py"
SIZES = (2, 3, 4, 5)
SHAPES = {"open": (None, None, None, 5), "fixed": SIZES, "mixed": (None, 3, None, 5)}
CELLS = ("SimpleRNN", "GRU", "LSTM")
ROWS = {strategy.key: strategy for strategy in STRATEGIES if strategy.comparable}
KEYS = list(ROWS)
# These are run for every cell and shape, and with the breakers; the others once for each cell and each shape.
FIRST = ("map_fn_keras_rnn", "nested_while_loop", "python_loop_tape", "tf1_map_fn_dynamic_rnn")
CUTS = [breaker.key for breaker in BREAKERS if breaker.key in ("stop_gradient", "integer_cast")]
BROKEN = [(key, f"{cut}@{place}") for key in FIRST for cut in CUTS for place in ("inner", "outer")]
# An LSTM for the shapes too, but the open shape, which is run for every cell.
WHOLE = [(cell, "open") for cell in CELLS] + [("LSTM", "fixed"), ("LSTM", "mixed")]
ONCE = [("LSTM", "open"), ("GRU", "fixed"), ("SimpleRNN", "mixed")]
RUNS = [(key, cell, shape) for key in KEYS for cell, shape in (WHOLE if key in FIRST else ONCE)]
# All options of a strategy at once. The first four say what is computed; the others only how: the reference has none.
UNUSUAL = {
    "layers": 2, "bidirectional": True, "return_sequences": True, "lengths": "ragged",
    "maximum_iterations": 4, "unroll": True,
}  # fmt: skip
MEANT = list(UNUSUAL)[:4]
ALTERED = [key for key in KEYS if key != "python_loop_tape" and {o.key for o in ROWS[key].options} & set(UNUSUAL)]
# Loops in the graph where they are not two: keras.ops.map calls its function once more, outside, to learn the shape.
LOOPS = {"folded_batch": 1, "unrolled": 1, "custom_cell": 1, "vectorized_map": 0, "keras_ops_scan": 3}

# The first test of each process waits for all of its jobs: minutes, on two busy cores five.
pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(600)]


def job(strategy: str, cell: str, shape: str, breaker: str | None, **options: Any) -> dict[str, Any]:
    sized = [dim in ROWS[strategy].sized for dim in ROWS[strategy].dims]
    dims = [size if must else dim for must, dim, size in zip(sized, SHAPES[shape], SIZES, strict=True)]
    build = {"cell": cell, "units": 4, "shape": dims, "sizes": SIZES, "seed": 3, **options}
    return {"strategy": strategy, "breaker": breaker, "build": build}


def altered(key: str, only: Collection[str] = tuple(UNUSUAL)) -> dict[str, Any]:
    """A job with the unusual value of each option that the strategy has, in float64; a graph of static shape."""
    options = {o.key: UNUSUAL[o.key] for o in ROWS[key].options if o.key in UNUSUAL and o.key in only}
    return job(key, "LSTM", "fixed", None, dtype="float64", **options)


def reference_of(key: str) -> dict[str, Any]:
    """The job of the eager tape that computes the same."""
    return altered("python_loop_tape", {o.key for o in ROWS[key].options} & set(MEANT))


def results(process: str) -> dict[str, dict[str, Any]]:
    """One result per job of a process that ran to its end."""
    jobs, done = ran(process)
    assert done.returncode == 0, done.stderr[-3000:]
    found = [json.loads(line[7:]) for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return {json.dumps(asked): result for asked, result in zip(jobs, found, strict=True)}


@cache  # one start of TensorFlow for everything one process can run, also where it fails
def ran(process: str) -> tuple[list[dict[str, Any]], subprocess.CompletedProcess[str]]:
    keys = [key for key in KEYS if (ROWS[key].way == "tf1") == (process == "tf1")]
    jobs = [job(key, cell, shape, None) for key, cell, shape in RUNS if key in keys]
    jobs += [job(key, "LSTM", "open", breaker) for key, breaker in BROKEN if key in keys]
    jobs += [altered(key) for key in ALTERED if key in keys]
    if process == "v2":
        jobs += [MIXED, *{json.dumps(wanted): wanted for wanted in map(reference_of, ALTERED)}.values()]
    done = subprocess.run(
        [sys.executable, str(CHILD), process],
        input=json.dumps(jobs), text=True, capture_output=True, check=False, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    return jobs, done


MIXED = job("map_fn_keras_rnn", "LSTM", "open", None, dtype="mixed_float16")


def result(strategy: str, cell: str = "LSTM", shape: str = "open", breaker: str | None = None) -> dict[str, Any]:
    return results("tf1" if ROWS[strategy].way == "tf1" else "v2")[json.dumps(job(strategy, cell, shape, breaker))]


def norm(gradient: Any) -> float:
    return float(np.linalg.norm(np.asarray(gradient, "float64")))


@pytest.mark.parametrize(("key", "cell", "shape"), RUNS)
def test_every_strategy_gives_the_gradient_of_the_eager_tape(key, cell, shape):
    reference = result("python_loop_tape", cell, "open")["gradients"]
    found = result(key, cell, shape)["gradients"]
    for source in SOURCES:
        expected, got = np.asarray(reference[source]), np.asarray(found[source])
        assert norm(expected) > 1e-4
        assert np.max(np.abs(got - expected)) <= 1e-4 * np.max(np.abs(expected)), source


@pytest.mark.parametrize("key", ALTERED)
def test_with_its_options_a_strategy_gives_the_gradient_of_the_eager_tape(key):
    expected = results("v2")[json.dumps(reference_of(key))]["gradients"]
    found = results("tf1" if ROWS[key].way == "tf1" else "v2")[json.dumps(altered(key))]["gradients"]
    assert list(found) == list(expected)
    assert len(found) == (8 if any(option.key == "layers" for option in ROWS[key].options) else 5)
    for source, gradient in found.items():
        wanted = np.asarray(expected[source])
        assert norm(wanted) > 1e-4
        assert np.max(np.abs(np.asarray(gradient) - wanted)) <= 1e-9 * np.max(np.abs(wanted)), source


def test_mixed_float16_keeps_three_digits():
    expected, found = result("map_fn_keras_rnn")["gradients"], results("v2")[json.dumps(MIXED)]["gradients"]
    for source in SOURCES:
        error = norm(np.asarray(found[source]) - np.asarray(expected[source])) / norm(expected[source])
        assert 0 < error <= 1e-2, source


@pytest.mark.parametrize(("key", "cell", "shape"), [run for run in RUNS if ROWS[run[0]].way != "eager"])
def test_a_graph_holds_its_loops_whatever_is_known_of_the_shape(key, cell, shape):
    assert result(key, cell, shape)["loops"] == LOOPS.get(key, 2)


@pytest.mark.parametrize(("key", "breaker"), BROKEN)
def test_a_breaker_cuts_what_lies_before_it_and_nothing_behind(key, breaker):
    gradients = result(key, breaker=breaker)["gradients"]
    for source in SOURCES[:-1]:
        assert gradients[source] is None or norm(gradients[source]) == 0.0, source
    readout = norm(gradients["readout"])
    assert np.isfinite(readout)
    # The forward values are those of the whole model, up to the three digits that the cast keeps.
    assert readout == pytest.approx(norm(result(key)["gradients"]["readout"]), rel=0.05)
