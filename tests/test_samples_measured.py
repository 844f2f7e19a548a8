"""What the rows of strategies say was measured is measured again: swapped memory, shape hints, a layer per element."""

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

ROOT = Path(__file__).resolve().parent.parent
PLAIN, SWAPPED, HINTED = "tf1_map_fn_dynamic_rnn", "tf1_swap_memory", "tf1_static_hints"

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(300)]


@cache
def measured(what: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "measured_samples.py"), what],
        text=True, capture_output=True, check=False, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return json.loads(line.removeprefix("RESULT "))


def test_swapped_memory_is_a_mark_on_the_stacks_and_nothing_else_on_a_cpu():
    found = measured("swap")
    assert found[PLAIN]["swaps"] == [False]
    assert found[SWAPPED]["swaps"] == [True]
    assert found[SWAPPED]["ops"] == found[PLAIN]["ops"]
    assert found[SWAPPED]["gradients"] == found[PLAIN]["gradients"]


def test_shape_hints_make_the_graph_smaller_and_change_no_gradient():
    found = measured("swap")
    assert sum(found[HINTED]["ops"].values()) < sum(found[PLAIN]["ops"].values())
    assert found[HINTED]["ops"]["StackPushV2"] < found[PLAIN]["ops"]["StackPushV2"]
    assert found[HINTED]["gradients"] == found[PLAIN]["gradients"]


def test_a_layer_per_element_hides_behind_the_right_loss():
    found = measured("fresh")
    (loss, gradients, kernels), (right, expected, shared) = found["fresh"], found["shared"]
    assert loss == pytest.approx(right, rel=1e-6)
    x, kernel, *_, readout = [np.asarray(gradient) for gradient in gradients]
    np.testing.assert_allclose(x, expected[0], rtol=1e-4, atol=1e-8)
    np.testing.assert_allclose(readout, expected[-1], rtol=1e-4, atol=1e-8)
    assert np.linalg.norm(kernel) / np.linalg.norm(expected[1]) == pytest.approx(0.58, abs=0.005)
    # One kernel for each of the three elements; together they get what the shared one gets.
    assert (len(kernels), len(shared)) == (3, 1)
    np.testing.assert_allclose(np.sum(kernels, axis=0), expected[1], rtol=1e-4, atol=1e-7)


def test_the_next_call_knows_nothing_of_the_weights_of_the_first():
    _, (x, *weights, readout), kernels = measured("fresh")["second call"]
    assert weights == [None, None, None]
    assert np.linalg.norm(x) > 1e-4
    assert np.linalg.norm(readout) > 1e-4
    assert len(kernels) == 3


def test_a_traced_function_refuses_to_make_a_layer_per_element():
    assert "singleton tf.Variables created on the first call" in measured("fresh")["refusal"]
