"""Nothing outlives the one who started it, however that one went."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from explorer.client import Engine
from explorer.model.case import Case
from explorer.model.verdict import Exploration

PATIENCE = 30.0
ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")


def unjudged(exploration: Exploration) -> Exploration:
    return exploration


def engine() -> Engine:
    return Engine("tests.fake_work:explore", preload=(), conclude=unjudged)


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def all_dead(pids: Iterable[int]) -> bool:
    return eventually(lambda: not any(map(alive, pids)))


def staff(host: int) -> list[int]:
    """The host and what it started itself: guardian, resource tracker, fork server."""
    children = Path(f"/proc/{host}/task").glob("*/children")
    return [host, *(int(pid) for file in children for pid in file.read_text().split())]


def family(engine: Engine, tmp_path: Path) -> list[int]:
    """Start a job that forks and spawns; the pids of the job and its offspring, all alive."""
    file = tmp_path / "pids"
    engine.start(Case("forking", options=(("file", str(file)), ("stay", True))))
    assert eventually(file.exists)
    pids = [int(pid) for pid in file.read_text().split()]
    assert len(pids) == 3
    assert all(map(alive, pids)), "else the test proves nothing"
    return pids


def test_offspring_die_when_the_job_is_done(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    with engine() as running:
        assert running.start(Case("forking", options=(("file", str(file)),))).wait(PATIENCE).outcome == "done"
        assert all_dead(int(pid) for pid in file.read_text().split())


def test_offspring_die_when_the_job_is_cancelled(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    with engine() as running:
        job = running.start(Case("forking", options=(("file", str(file)), ("stay", True))))
        job.wait_for(lambda known: known.stage == "backward", PATIENCE)
        job.cancel()
        assert job.wait(PATIENCE).outcome == "cancelled"
        assert all_dead(int(pid) for pid in file.read_text().split())


def test_offspring_die_when_the_job_is_killed_from_outside(tmp_path: Path) -> None:
    with engine() as running:
        child, *offspring = family(running, tmp_path)
        os.kill(child, signal.SIGKILL)
        assert all_dead(offspring)


def test_closing_the_engine_ends_everything(tmp_path: Path) -> None:
    running = engine()
    pids = family(running, tmp_path) + staff(running.pid)
    assert len(pids) >= 7
    running.close()
    assert all_dead(pids)


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_killed_host(tmp_path: Path, blow: signal.Signals) -> None:
    with engine() as running:
        job = running.start(Case("endless"))
        job.wait_for(lambda known: known.stage == "backward", PATIENCE)
        pids = family(running, tmp_path) + staff(running.pid)
        (socket,) = sockets(running.pid)
        assert socket.exists()
        os.kill(running.pid, blow)
        result = job.wait(PATIENCE)
        assert result.outcome == "crashed"
        assert result.snapshot is not None
        assert result.failure is not None
        assert result.failure.message == f"The engine stopped ({blow.name})."
        assert all_dead(pids)
        assert eventually(lambda: not socket.parent.exists()), "no folder is left behind"
        assert running.start(Case("done")).wait(PATIENCE).outcome == "done", "a new host takes over"


def sockets(host: int) -> list[Path]:
    """Where the fork server of this host listens."""
    inodes = set()
    for pid in staff(host):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            name = os.readlink(descriptor)
            if name.startswith("socket:["):
                inodes.add(name[8:-1])
    rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
    return [Path(row[7]) for row in rows if len(row) == 8 and row[6] in inodes]


def test_slow_client_hears_everything(tmp_path: Path) -> None:
    """The child is long dead when the client has read what it said."""
    file = tmp_path / "pids"

    def conclude(exploration: Exploration) -> Exploration:
        assert eventually(file.exists)
        assert all_dead([int(file.read_text())])
        return exploration

    with Engine("tests.fake_work:explore", preload=(), conclude=conclude) as slow:
        result = slow.start(Case("voluminous", options=(("file", str(file)),))).wait(PATIENCE)
    assert (result.outcome, len(result.code)) == ("done", 4 << 20)


def test_escaped_process_cannot_hide_a_crash(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    with engine() as running:
        result = running.start(Case("escaping", options=(("file", str(file)),))).wait(PATIENCE)
    assert result.outcome == "crashed"
    assert result.failure is not None
    assert (result.failure.type, result.failure.stage) == ("SIGABRT", "backward")
    assert eventually(file.exists)
    os.kill(int(file.read_text()), signal.SIGKILL)  # it has left our group: nothing of ours finds it


CLIENT = """
import sys
from explorer.client import Engine
from explorer.model.case import Case
engine = Engine("tests.fake_work:explore", preload=(), conclude=lambda exploration: exploration)
job = engine.start(Case("forking", options=(("file", sys.argv[1]), ("stay", True))))
job.wait_for(lambda known: known.stage == "backward")
print(engine.pid, flush=True)
if sys.argv[2] == "leave":
    sys.exit()
job.wait()
"""


@pytest.mark.parametrize("going", ["leave", "SIGKILL", "SIGINT"])
def test_client_gone(tmp_path: Path, going: str) -> None:
    file = tmp_path / "pids"
    command = [sys.executable, "-c", CLIENT, str(file), going]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT) as client:
        assert client.stdout is not None
        host = int(client.stdout.readline())
        pids = [host, *map(int, file.read_text().split())]
        if going != "leave":
            client.send_signal(signal.Signals[going])
    assert all_dead(pids)


def test_child_survives_nothing_when_guardian_is_killed_too(tmp_path: Path) -> None:
    """The second line of defence: a thread in the child."""
    with engine() as running:
        pids = family(running, tmp_path)
        guardian = next(pid for pid in staff(running.pid)[1:] if _command(pid) == _command(running.pid))
        (socket,) = sockets(running.pid)
        os.kill(guardian, signal.SIGKILL)
        assert all_dead([guardian])
        os.kill(running.pid, signal.SIGKILL)
        assert all_dead(pids)
        shutil.rmtree(socket.parent)  # the guardian's job


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
