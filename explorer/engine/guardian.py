"""The process that cleans up when the host is gone, however it went.

A killed host cannot kill anything, and neither Linux' parent-death signal nor a thread in the child reaches the
processes that a user's code has forked. So the host forks, before it does anything else, a twin that blocks on a pipe
whose other end only the host holds. When the pipe ends, the twin kills every process group it was told about.
"""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import suppress


class Guardian:
    """Knows the process groups that must not outlive this process. Where there is no fork, it does nothing."""

    def __init__(self, folder: str, silence: tuple[int, ...] = ()) -> None:
        """Fork the twin. ``folder`` is removed in the end; ``silence`` are descriptors the twin must not hold open."""
        self._pipe = -1
        if not hasattr(os, "fork"):
            return
        listening, self._pipe = os.pipe()
        host = os.getpid()
        if os.fork() == 0:
            status = 1
            try:
                for descriptor in (self._pipe, *silence):
                    os.close(descriptor)
                os.setsid()
                _outlive(listening, host, folder)
                status = 0
            finally:
                os._exit(status)
        os.close(listening)

    def watch(self, group: int) -> None:
        """Kill this group when the host is gone."""
        self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        """The group is gone already: its number may be given to strangers."""
        self._tell(f"-{group}\n")

    def _tell(self, line: str) -> None:
        if self._pipe >= 0:
            os.write(self._pipe, line.encode())


def kill_group(group: int) -> None:
    """Kill a process group; one that is gone already is fine."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _outlive(listening: int, host: int, folder: str) -> None:
    groups: set[int] = set()
    with os.fdopen(listening, "r") as lines:
        for line in lines:
            group = int(line[1:])
            groups.add(group) if line[0] == "+" else groups.discard(group)
    for group in groups:
        kill_group(group)
    kill_group(host)  # the fork server lives in the host's own group
    shutil.rmtree(folder, ignore_errors=True)
