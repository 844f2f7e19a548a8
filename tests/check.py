"""The one check command: format, lint, types, layers, tests.

`python tests/check.py` runs everything and is what the developer, a hook and CI all call; `--fast` leaves out the
tests that start TensorFlow or a browser; what follows `--` goes to pytest. Every step runs even when an earlier one
failed, so that one run tells all.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SLOW = "not tensorflow and not browser"
MOST = 4  # processes of tests: each may hold two of TensorFlow's, about 1 GB


def steps(fast: bool, pytest_arguments: list[str]) -> list[tuple[str, list[str]]]:
    """The steps in order, each a name and a command; the tests come last, so that their summary closes the output."""
    python = [sys.executable, "-m"]
    marks = ["-m", SLOW] if fast else []
    # A test mostly waits for the one process it has started; a file's tests share an engine and stay together.
    beside = ["-n", str(min(os.cpu_count() or 1, MOST)), "--dist", "loadfile"]
    # import-linter has no `python -m`; its entry point is called the way its own script does.
    layers = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    return [
        ("format", [*python, "ruff", "format", "--check", "."]),
        ("lint", [*python, "ruff", "check", "."]),
        ("types", [*python, "mypy"]),
        ("layers", layers),
        ("tests", [*python, "pytest", *beside, *marks, *pytest_arguments]),
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check format, lint, types, layers and tests.")
    parser.add_argument("--fast", action="store_true", help="leave out tests that start TensorFlow or a browser")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    chosen = parser.parse_args(arguments)
    failed = []
    for name, command in steps(chosen.fast, chosen.pytest):
        print(f"== {name}", flush=True)
        begun = time.monotonic()
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        print(
            f"== {name}: {'ok' if code == 0 else f'FAILED (exit code {code})'}, {time.monotonic() - begun:.0f} s",
            flush=True,
        )
        if code:
            failed.append(name)
    if failed:
        print(f"check failed: {', '.join(failed)}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
