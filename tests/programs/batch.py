"""Many random programs by hand: ``python -m tests.programs.batch 1000 --seed 1 --way graph``.

Tells how many programs, sources and cut sources were compared, and every mismatch with a minimal program.
"""

from __future__ import annotations

import argparse
import gc
import logging
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import tensorflow as tf

from tests.programs.grammar import Program, random_program
from tests.programs.judge import Judgement, judge
from tests.programs.shrink import shrunk

_PER_SEED = 1_000_000


@dataclass
class Tally:
    """What a batch came to."""

    programs: int = 0
    sources: int = 0
    blocked: int = 0
    hidden: int = 0
    raised: int = 0
    with_a_cut: int = 0
    failed: list[Program] = field(default_factory=list)

    def add(self, program: Program, judgement: Judgement) -> None:
        """Count one program."""
        self.programs += 1
        self.sources += judgement.sources
        self.blocked += judgement.blocked
        self.hidden += judgement.hidden
        self.raised += judgement.raised
        self.with_a_cut += judgement.holds_a_cut
        if judgement.mismatches:
            self.failed.append(program)

    def __str__(self) -> str:
        share = 100 * self.with_a_cut / max(1, self.programs)
        return (
            f"{self.programs} programs, {self.sources} sources, {self.blocked} cut ({self.hidden} of them hidden), "
            f"{self.with_a_cut} programs with a cut ({share:.0f} %), {self.raised} raise, {len(self.failed)} mismatch"
        )


def batch(count: int, seed: int, way: str, loud: bool, tell: Callable[[str], None]) -> Tally:
    """Judge ``count`` programs made from a seed, telling how it goes."""
    tally, began = Tally(), time.monotonic()
    for number in range(seed * _PER_SEED, seed * _PER_SEED + count):
        program = random_program(number, loud=loud)
        judgement = judge(program, way)
        tally.add(program, judgement)
        for sentence in judgement.mismatches:
            tell(f"program {number}: {sentence}")
        if tally.programs % 50 == 0:
            gc.collect()
            tell(f"{time.monotonic() - began:.0f} s: {tally}")
    tell(str(tally))
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare prediction and TensorFlow on many random programs.")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--way", choices=("graph", "eager", "tf1"), default="graph")
    parser.add_argument("--loud", action="store_true", help="with ops whose gradient is not registered")
    parser.add_argument("--shrink", type=int, default=5, help="how many mismatches to make small")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)  # TensorFlow's advice on retracing
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})  # a program runs a few times only
    if chosen.way == "tf1":
        from explorer.engine.way_tf1 import switch_on

        switch_on()
    tally = batch(chosen.count, chosen.seed, chosen.way, chosen.loud, _tell)
    for program in tally.failed[: chosen.shrink]:
        small, sentences = shrunk(program, chosen.way)
        _tell("\n  ".join(["smallest:", *sentences, repr(small)]))
    return 1 if tally.failed else 0


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
