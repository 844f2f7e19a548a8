"""Placing in a child process that can be killed: dot holds Python's lock and knows no time limit.

``subprocess`` with ``-m``, not ``multiprocessing``: under Streamlit the latter would run the page again in the child.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec

from explorer.layout.place import MANY_CARDS, place, place_fast
from explorer.layout.values import Nest, Scene

TIMEOUT = 15.0


def place_in_child(nest: Nest, timeout: float = TIMEOUT) -> Scene:
    """The scene by dot; by the fast layout where dot fails, is missing, or takes longer than ``timeout`` seconds."""
    if len(nest.cards) > MANY_CARDS or not nest.cards:
        return place_fast(nest)
    command = [sys.executable, "-m", "explorer.layout.worker"]
    try:
        answer = subprocess.run(
            command,
            input=msgspec.msgpack.encode(nest),
            capture_output=True,
            timeout=timeout,
            check=True,
            env=_environment(),
        )
        return msgspec.msgpack.decode(answer.stdout, type=Scene)
    except (subprocess.SubprocessError, OSError, msgspec.MsgspecError):
        return place_fast(nest)  # the scene says so: Scene.engine is "fast"


def _environment() -> dict[str, str]:
    """The child must find this very package, wherever the parent was started."""
    here = str(Path(__file__).resolve().parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))}


def main() -> None:
    """Read a nest from standard input, write a scene to standard output."""
    nest = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Nest)
    sys.stdout.buffer.write(msgspec.msgpack.encode(place(nest)))


if __name__ == "__main__":
    main()
