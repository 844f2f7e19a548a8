"""All sample models compute the same gradient, and a breaker cuts what lies before it and nothing else.

Independent runs of one problem are the oracle for each other: the eager tape, two kinds of graph, and TF1's session.
The weights are random and the loss is a mean of squares behind a random readout, so no gradient is zero by chance.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
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
# Loops in the graph where they are not two: keras.ops.map calls its function once more, outside, to learn the shape.
LOOPS = {"folded_batch": 1, "unrolled": 1, "custom_cell": 1, "vectorized_map": 0, "keras_ops_scan": 3}

# The first test of each process waits for all of its jobs: minutes, on two busy cores five.
pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(600)]


def job(strategy: str, cell: str, shape: str, breaker: str | None) -> dict[str, Any]:
    sized = [dim in ROWS[strategy].sized for dim in ROWS[strategy].dims]
    dims = [size if must else dim for must, dim, size in zip(sized, SHAPES[shape], SIZES, strict=True)]
    build = {"cell": cell, "units": 4, "shape": dims, "sizes": SIZES, "seed": 3}
    return {"strategy": strategy, "breaker": breaker, "build": build}


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
    done = subprocess.run(
        [sys.executable, str(CHILD), process],
        input=json.dumps(jobs), text=True, capture_output=True, check=False, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    return jobs, done


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
