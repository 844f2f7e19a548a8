"""The commands: words in, text or a document out, and an exit code that a script can act on."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TextIO

from explorer.cli.codes import BAD_INPUT, FAILED, FINDING, FLOWS, INTERRUPTED
from explorer.cli.compare import run_comparison
from explorer.cli.parser import make_parser, refuse_unknown_kinds
from explorer.cli.progress import Progress
from explorer.cli.request import case_of, files_of, refuse_unwritable
from explorer.cli.text import describe, table
from explorer.client import Engine
from explorer.codec.document import Document, document, document_of_ways, to_json
from explorer.export.kinds import is_heat
from explorer.model.case import BadInput
from explorer.model.verdict import Exploration
from explorer.rules.differences import differences, sentences
from explorer.rules.sentence import verdict
from explorer.strategies.catalogue import STRATEGIES, strategies_document
from explorer.usecases.explore import Starter, explore_ways
from explorer.usecases.findings import findings


def _write_picture(exploration: Exploration, path: Path) -> None:
    # Here and not above: layout and export take longer to import than all the rest together.
    from explorer.export.files import export

    export(exploration, path, title=exploration.case.target, verdict=verdict(exploration))


def _write_report(explorations: Sequence[Exploration], path: Path) -> None:
    from explorer.report.files import report  # not above for the same reason

    report(explorations, path, sentences(differences(_by_way(explorations))))


@dataclass(frozen=True)
class Services:
    """What the commands lean on; tests put fakes here."""

    engine: Callable[[], AbstractContextManager[Starter]] = Engine
    picture: Callable[[Exploration, Path], None] = _write_picture
    report: Callable[[Sequence[Exploration], Path], None] = _write_report


def program() -> int:
    """``main`` as a process: SIGTERM unwinds like Ctrl-C, so that no child is left; a closed pipe is no error."""
    signal.signal(signal.SIGTERM, _leave)
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE if hasattr(signal, "SIGPIPE") else FAILED


def main(
    arguments: Sequence[str], services: Services = Services(), out: TextIO | None = None, err: TextIO | None = None
) -> int:
    """Run one command; returns its exit code."""
    out, err = out or sys.stdout, err or sys.stderr
    try:
        chosen = make_parser().parse_args(arguments)
        chosen.said = shlex.join(["python", "-m", "explorer", *arguments])
        if chosen.command is None:
            raise BadInput("Say what to do: strategies, run or compare (see python -m explorer --help).")
        if chosen.command == "strategies":
            return _strategies(chosen.json, out)
        refuse_unknown_kinds(chosen)
        if chosen.command == "compare":
            return run_comparison(chosen, services.engine, out, err)
        return _run(chosen, services, out, err)
    except BadInput as bad:
        err.write(f"explorer: {bad}\n")
        return BAD_INPUT
    except KeyboardInterrupt:
        err.write("\nexplorer: interrupted.\n")
        return INTERRUPTED


def exit_code(explorations: Sequence[Exploration], strict: bool = False) -> int:
    """The worst of what happened: a run that failed says less than a finding, and both say more than nothing."""
    outcomes = {each.outcome for each in explorations}
    if any(_refused(each) for each in explorations):
        return BAD_INPUT
    if "cancelled" in outcomes:
        return INTERRUPTED
    if outcomes & {"crashed", "timed_out", "out_of_memory"}:
        return FAILED
    if any(findings(each, strict) for each in explorations) or differences(_by_way(explorations)):
        return FINDING
    return FLOWS


def _strategies(as_json: bool, out: TextIO) -> int:
    if as_json:
        out.write(json.dumps(strategies_document(), indent=1, ensure_ascii=False) + "\n")
        return FLOWS
    out.write(table([["key", "family", "title"], *([row.key, row.family, row.title] for row in STRATEGIES)], "") + "\n")
    return FLOWS


def _run(chosen: argparse.Namespace, services: Services, out: TextIO, err: TextIO) -> int:
    # a way said twice is run once
    cases = [case_of(chosen, chosen.target, way) for way in (dict.fromkeys(chosen.way) or [None])]
    refuse_unwritable(files_of(chosen))
    progress = Progress(err)
    try:
        with services.engine() as engine:
            explorations = explore_ways(cases, engine, progress)
    finally:
        progress.clear()
    err.writelines(f"explorer: {each.failure.message}\n" for each in explorations if each.failure and _refused(each))
    if chosen.json != "-":
        out.write("\n".join(describe(each) for each in explorations if not _refused(each)))
        out.writelines(f"\n{told}\n" for told in sentences(differences(_by_way(explorations))))
    if chosen.json:
        text = to_json(_document(explorations))
        out.write(text) if chosen.json == "-" else Path(chosen.json).write_text(text, encoding="utf-8")
    _export(explorations[0], [Path(name) for name in chosen.export], services, err)
    if chosen.report and not any(map(_refused, explorations)):
        services.report(explorations, Path(chosen.report))
    return exit_code(explorations, chosen.strict)


def _by_way(explorations: Sequence[Exploration]) -> dict[str, Exploration]:
    return {each.way or str(each.case.way): each for each in explorations}


def _refused(exploration: Exploration) -> bool:
    """Whether the child found what was asked for to be impossible (a name that the file does not define, ...)."""
    return exploration.failure is not None and exploration.failure.type == "BadInput"


def _document(explorations: Sequence[Exploration]) -> Document:
    return document(explorations[0]) if len(explorations) == 1 else document_of_ways(explorations)


def _export(exploration: Exploration, files: Sequence[Path], services: Services, err: TextIO) -> None:
    for file in files:
        if exploration.snapshot is None:
            err.write(f"explorer: {file} was not written: the run ended before there was a graph to draw.\n")
        elif is_heat(file) and not exploration.probes:
            err.write(f"explorer: {file} was not written: no iteration was watched.\n")
        else:
            services.picture(exploration, file)


def _leave(number: int, frame: object) -> NoReturn:
    sys.exit(128 + number)
