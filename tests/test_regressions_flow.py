"""Programs on which prediction and TensorFlow once disagreed: found by the property tests, kept small."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from explorer.engine import way_eager, way_graph  # noqa: E402 - needs TensorFlow
from explorer.engine.progress import Progress  # noqa: E402
from explorer.engine.targets import Program as Target  # noqa: E402
from explorer.model.case import Case, InputSpec  # noqa: E402
from tests.programs.judge import judge  # noqa: E402
from tests.programs.regressions import REGRESSIONS, Regression  # noqa: E402

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(300)]
_IN_THIS_PROCESS = [pytest.param(r, way, id=f"{r.name}-{way}") for r in REGRESSIONS for way in r.ways if way != "tf1"]


@pytest.mark.parametrize(("regression", "way"), _IN_THIS_PROCESS)
def test_agrees(regression: Regression, way: str):
    assert judge(regression.program, way).mismatches == [], regression.was


def test_all_agree_in_tf1():
    ran = subprocess.run(
        [sys.executable, "-m", "tests.programs.regressions", "tf1"],
        cwd=Path(__file__).parent.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr[-2000:]}"
    assert ran.stdout.startswith(f"{sum('tf1' in r.ways for r in REGRESSIONS)} judged"), ran.stdout


@pytest.mark.parametrize("way", ["graph", "eager"])
def test_a_function_may_return_a_variable(way: str):
    w = tf.Variable([0.5], name="w")
    given = (np.ones(1, np.float32),)
    target = Target(lambda x: w, (InputSpec("x", (1,)),), given, [w], False)
    progress = Progress(lambda *_: None)
    case = Case(target="a variable", static_only=True)
    if way == "graph":
        way_graph.explore(target, given, case, progress, jit=False)
    else:
        way_eager.explore(target, given, case, progress)
    assert progress.flow is not None
    assert [(p.source, p.predicted, p.answered) for p in progress.flow.predictions] == [
        ("x", "none-disconnected", False),
        ("w", "flows", True),
    ]
