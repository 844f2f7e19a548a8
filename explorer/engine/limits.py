"""How much memory a child and everything it started hold, seen from outside.

``RLIMIT_AS`` is no use: TensorFlow reserves far more address space than it ever touches. So the host looks at resident
memory, a few times a second.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MB = 1024 * 1024
_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def memory_of(pid: int, limit: float) -> float | None:
    """Resident MB of a process and its descendants, None where this system does not tell.

    Pages that forked processes share count once per process in what the system calls resident. Splitting them is
    slow, so it is done only where the quick number is above ``limit``.
    """
    if not (_PROC / "self" / "statm").exists():
        return _memory_by_ps(pid)
    family = list(_family(pid))
    quick = sum(map(_resident, family)) / MB
    return quick if quick <= limit else sum(map(_proportional, family)) / MB


def system_kills() -> int:
    """How many processes this Linux has killed for want of memory since it started; 0 where it does not tell."""
    with suppress(OSError):
        for line in (_PROC / "vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0


def volunteer_for_oom() -> None:
    """Make this process the first that Linux kills when memory runs out, rather than the app it works for."""
    with suppress(OSError):
        (_PROC / "self" / "oom_score_adj").write_text("1000")


def _family(pid: int) -> Iterator[int]:
    yield pid
    for children in (_PROC / str(pid) / "task").glob("*/children"):
        with suppress(OSError):  # the thread ended while we looked
            for child in children.read_text().split():
                yield from _family(int(child))


def _resident(pid: int) -> int:
    with suppress(OSError, IndexError):
        return int((_PROC / str(pid) / "statm").read_text().split()[1]) * _PAGE
    return 0


def _proportional(pid: int) -> int:
    with suppress(OSError):
        for line in (_PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return _resident(pid)


def _memory_by_ps(pid: int) -> float | None:
    try:
        listing = subprocess.run(["ps", "-axo", "pid=,ppid=,rss="], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    rows = [tuple(map(int, line.split())) for line in listing.splitlines()]
    family, grown = {pid}, True
    while grown:
        more = {row[0] for row in rows if row[1] in family} - family
        family, grown = family | more, bool(more)
    return sum(row[2] for row in rows if row[0] in family) / 1024
