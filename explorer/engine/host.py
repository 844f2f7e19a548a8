"""The host process: ``python -m explorer.engine.host``, one per app or command line, started by the client.

It owns the fork server, because ``multiprocessing`` imports the main module again in each child, and the main module
of an app is not ours to run twice. It speaks over what were its stdin and stdout; nobody else can reach those.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import threading
from multiprocessing.context import BaseContext
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import BinaryIO

from explorer.capture.remembered import FILE
from explorer.codec import messages
from explorer.codec.messages import Cancel, Start
from explorer.engine.guardian import Guardian
from explorer.engine.supervisor import Leave, Supervisor


def main() -> None:
    """Serve the client at the other end of stdin and stdout until it goes."""
    options = _options()
    _own_group()
    _environment()
    requests, answers = _take_over_streams()
    guardian = Guardian(get_temp_dir(), silence=(requests.fileno(), answers.fileno()))
    lock = threading.Lock()

    def send(data: bytes) -> None:
        try:
            with lock:
                messages.write(answers, data)
        except OSError:
            os._exit(0)  # nobody listens; the guardian cleans up

    supervisor = Supervisor(_context(options.work, options.preload), options.work, guardian, send)
    threading.Thread(target=_listen, args=(requests, supervisor), daemon=True).start()
    error = supervisor.run()
    if error:
        sys.stderr.write(error)
        sys.stderr.flush()
    os._exit(1 if error else 0)  # children are the guardian's business: waiting for them here could take for ever


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="explorer.engine.host", description=__doc__)
    parser.add_argument("--work", required=True, metavar="MODULE:FUNCTION", help="what each child runs")
    parser.add_argument("--preload", action="append", default=[], metavar="MODULE", help="imported before any child")
    return parser.parse_args()


def _own_group() -> None:
    # The guardian ends the whole group of the host, so there must be no strangers in it.
    if hasattr(os, "setsid") and os.getpgrp() != os.getpid():
        os.setsid()


def _environment() -> None:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ[FILE] = os.path.join(get_temp_dir(), "signatures")
    # The fork server starts without this process's import path.
    home = str(Path(__file__).parents[2])
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if home not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([home, *filter(None, paths)])


def _take_over_streams() -> tuple[BinaryIO, BinaryIO]:
    """Stdin and stdout under new numbers that no child inherits; the old ones lead nowhere and to stderr."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _context(work: str, preload: list[str]) -> BaseContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    # Each child imports this module again as its main one, so what it imports had better be there already.
    context.set_forkserver_preload(["explorer.engine.supervisor", work.partition(":")[0], *preload])
    return context


def _listen(requests: BinaryIO, supervisor: Supervisor) -> None:
    while isinstance(message := messages.read(requests), Start | Cancel):
        supervisor.inbox.put(message)
    supervisor.inbox.put(Leave())


if __name__ == "__main__":
    main()
