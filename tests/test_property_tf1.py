"""Random nested programs as TF1 graphs with frames. Control flow v1 is a switch for a whole process: they get one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tensorflow")

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(600)]


def test_prediction_is_what_the_session_answers():
    ran = subprocess.run(
        [sys.executable, "-m", "tests.programs.batch", "40", "--way", "tf1", "--shrink", "1"],
        cwd=Path(__file__).parent.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr[-2000:]}"
    compared = re.search(r"^(\d+) programs, .* (\d+) programs with a cut", ran.stdout, re.MULTILINE)
    assert compared is not None, ran.stdout
    assert int(compared[1]) == 40
    assert int(compared[2]) >= 40 / 3, f"too few programs hold a cut source: {ran.stdout}"
