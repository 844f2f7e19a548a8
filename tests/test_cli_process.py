"""``python -m explorer`` as a shell sees it, with the real engine behind it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 60.0

pytestmark = pytest.mark.tensorflow


def start(*words: str, **more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "explorer", *words]
    environment = {**os.environ, **more}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True)


def marked(mark: str) -> list[int]:
    """The processes that carry this mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:  # gone, or another user's
            continue
    return found


def eventually(holds) -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.01)  # between two looks; nothing waits for a fixed time
    return False


def test_a_breaker_ends_in_exit_code_1_and_one_barrier(tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    run = start("run", "nested_while_loop", "--breaker", "stop_gradient@inner", "--json", "-", "--export", str(picture))
    out, err = run.communicate(timeout=PATIENCE)
    assert (run.returncode, err) == (1, "")
    found = json.loads(out)
    assert found["outcome"] == "done"
    assert [loop["trips_measured"] for loop in found["loops"]] == [[3], [7, 7, 7]]
    (barrier,) = found["barriers"]
    assert (barrier["cause"], barrier["loop"]) == ("stop_gradient", found["loops"][1]["id"])
    assert {row["name"]: row["status"] for row in found["sources"]}["readout"] == "flows"
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_a_time_limit_ends_in_exit_code_3() -> None:
    run = start("run", "nested_while_loop", "--timeout", "0.001")
    out, _ = run.communicate(timeout=PATIENCE)
    assert run.returncode == 3
    assert "timed out" in out


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks at processes through /proc")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_no_process_outlives_the_command(number: signal.Signals, code: int, tmp_path: Path) -> None:
    mark = f"EXPLORER_TEST_MARK={tmp_path}"
    run = start("run", "nested_while_loop", EXPLORER_TEST_MARK=str(tmp_path))
    assert eventually(lambda: len(marked(mark)) > 1), "the engine never started, so the test would prove nothing"
    run.send_signal(number)
    _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == code
    assert "Traceback" not in err
    assert eventually(lambda: not marked(mark))
