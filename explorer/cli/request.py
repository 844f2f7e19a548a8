"""What the words on the command line ask for: cases to run and files to write."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from explorer.model.case import BadInput, Case
from explorer.strategies.parse import make_case


def case_of(chosen: argparse.Namespace, target: str, way: str | None) -> Case:
    """The case of one target in one way; raises BadInput with one sentence."""
    return make_case(
        target,
        inputs=chosen.input,
        sizes=chosen.size,
        options=chosen.option,
        breaker=chosen.breaker,
        wrt=chosen.wrt,
        loss=chosen.loss,
        device=chosen.device,
        seed=chosen.seed,
        timeout=chosen.timeout,
        memory=chosen.memory,
        way=way,
        static_only=chosen.static_only,
        second_order=chosen.second_order,
        check_numbers=chosen.check_numbers,
        probe=chosen.probe,
        probe_ops=chosen.probe_op,
    )


def files_of(chosen: argparse.Namespace) -> list[Path]:
    """What is to be written."""
    return [Path(name) for name in (chosen.json, *chosen.export, chosen.report) if name not in (None, "-")]


def refuse_unwritable(files: Sequence[Path]) -> None:
    """Before the run, not after it: a wrong folder should not cost the user the exploration."""
    for file in files:
        if file.is_dir() or not file.parent.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK):
            raise BadInput(f"Cannot write {str(file)!r}: name a file in a folder that exists and can be written to.")
