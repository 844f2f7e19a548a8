"""Placing in a child process that can be killed: dot holds Python's lock and knows no time limit.

The child lives on and serves one nest after another, for starting one takes ten times as long as placing a usual
picture. ``subprocess`` with ``-m``, not ``multiprocessing``: under Streamlit the latter would run the page again.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from explorer.layout.sizes import MANY_CARDS
from explorer.layout.values import Nest, Scene

TIMEOUT = 15.0

_LENGTH = 4  # bytes that say how long the message after them is
_LONGEST = 1 << 30  # more is no message of ours


class Worker:
    """One child at a time; it is started when it is needed, and again after it has died or had to be killed."""

    def __init__(self, command: Sequence[str] = (sys.executable, "-m", "explorer.layout.worker")) -> None:
        """``command`` starts a child that answers each nest on its stdin with a scene on its stdout."""
        self._command = list(command)
        self._busy = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the child, so that the first picture need not wait for it."""
        with self._busy:
            self._running()

    def place(self, nest: Nest, timeout: float = TIMEOUT) -> Scene:
        """The scene by dot; by the fast layout where dot fails, is missing, or takes over ``timeout`` seconds."""
        if len(nest.cards) > MANY_CARDS or not nest.cards or not self._busy.acquire(timeout=timeout):
            return _fast(nest)
        try:
            return msgspec.msgpack.decode(self._ask(msgspec.msgpack.encode(nest), timeout), type=Scene)
        except (OSError, EOFError, msgspec.MsgspecError):
            self._end()
            return _fast(nest)  # the scene says so: Scene.engine is "fast"
        finally:
            self._busy.release()

    def close(self) -> None:
        """End the child."""
        with self._busy:
            self._end()

    def _ask(self, question: bytes, timeout: float) -> bytes:
        child = self._running()
        assert child.stdin is not None
        assert child.stdout is not None
        watch = threading.Timer(timeout, child.kill)  # what is read then ends early
        watch.daemon = True
        watch.start()
        try:
            _write(child.stdin, question)
            return _read(child.stdout)
        finally:
            watch.cancel()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._end()
            self._child = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        return self._child

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        for stream in (child.stdin, child.stdout):
            with suppress(OSError):  # what was still to be written has no reader any more
                stream and stream.close()
        child.wait()


_WORKER = Worker()
atexit.register(_WORKER.close)


def start_child() -> None:
    """Start the child ahead of the first nest; returns at once."""
    with suppress(OSError):
        _WORKER.start()


def place_in_child(nest: Nest, timeout: float = TIMEOUT) -> Scene:
    """The scene, placed by the one child of this process."""
    return _WORKER.place(nest, timeout)


def _fast(nest: Nest) -> Scene:
    from explorer.layout.place import place_fast  # numpy: not before there is something to place

    return place_fast(nest)


def _environment() -> dict[str, str]:
    """The child must find this very package, wherever the parent was started."""
    here = str(Path(__file__).resolve().parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))}


def _write(stream: IO[bytes], message: bytes) -> None:
    stream.write(len(message).to_bytes(_LENGTH, "big") + message)
    stream.flush()


def _read(stream: IO[bytes]) -> bytes:
    """One message; EOFError where the other side has gone."""
    head = stream.read(_LENGTH)
    length = int.from_bytes(head, "big")
    if len(head) < _LENGTH or length > _LONGEST:
        raise EOFError
    message = stream.read(length)
    if len(message) < length:
        raise EOFError
    return message


def main() -> None:
    """Answer each nest on standard input with its scene, until the parent has gone."""
    from explorer.layout.dot import load
    from explorer.layout.place import place

    load()
    while True:
        try:
            nest = msgspec.msgpack.decode(_read(sys.stdin.buffer), type=Nest)
        except EOFError:
            return
        _write(sys.stdout.buffer, msgspec.msgpack.encode(place(nest)))


if __name__ == "__main__":
    main()
