"""The fork server with TensorFlow in it: a forked child must be able to do all that a fresh process can."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from explorer.client import Engine
from explorer.client.engine import PRELOAD, WORK
from explorer.model.case import Case

pytestmark = pytest.mark.tensorflow

PATIENCE = 120.0


def test_function_differentiated_in_a_forked_child() -> None:
    with Engine("tests.fake_work:trivial_gradient", conclude=lambda exploration: exploration) as engine:
        for _ in range(2):  # the second child is forked from the same, untouched server
            result = engine.start(Case("any")).wait(PATIENCE)
            assert result.failure is None
            assert result.outcome == "done"
            assert result.run is not None
            assert result.run.loss == 5.0
            assert result.run.measurements[0].norm == pytest.approx(math.sqrt(2.0**2 + 4.0**2))
            assert result.surroundings.device


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads through /proc")
def test_server_has_no_runtime_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """TensorFlow's eager context comes with threads, which a fork would lose."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # NumPy's own threads are made again after a fork
    preload = (*PRELOAD, WORK.partition(":")[0])
    with Engine("tests.fake_work:threads_of_server", preload, lambda exploration: exploration) as engine:
        result = engine.start(Case("any")).wait(PATIENCE)
    assert result.failure is None
    # jemalloc, too, makes its thread again after a fork.
    assert set(result.memory) <= {"jemalloc_bg_thd", "peak"}
