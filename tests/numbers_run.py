"""Explores one program of ``number_programs`` in a process of its own, as the app and the command line do."""

from __future__ import annotations

from pathlib import Path

from explorer.client import Engine
from explorer.model.case import Case, Way
from explorer.model.verdict import Exploration

PROGRAMS = Path(__file__).parent / "number_programs.py"
PATIENCE = 110.0


def explored(engine: Engine, program: str, way: Way, **asked: bool) -> Exploration:
    case = Case(str(PROGRAMS), options=(("program", program),), way=way, device="cpu", **asked)
    found = engine.start(case).wait(PATIENCE)
    assert found.outcome == "done", found.failure
    return found


def marked(program: str) -> int:
    """The line that a program marks."""
    lines = PROGRAMS.read_text(encoding="utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.endswith(f"# <- cause {program}"))
