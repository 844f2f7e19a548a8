"""The property that the tests assert: for every source, what is predicted is what TensorFlow answers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import tensorflow as tf
from hypothesis import HealthCheck, Phase, given, settings

from tests.programs.batch import Tally
from tests.programs.grammar import Program, programs
from tests.programs.judge import judge
from tests.programs.shrink import shrunk


def tally_of(way: str, count: int, *, loud: bool = False) -> Tally:
    """Judge ``count`` programs; the first disagreement fails, with a minimal program."""
    tally = Tally()

    # no shrinking by hypothesis: a smaller number is not a smaller program
    @settings(max_examples=count, phases=[Phase.generate], database=None, suppress_health_check=[HealthCheck.too_slow])
    @given(programs(loud))
    def check(program: Program) -> None:
        judgement = judge(program, way)
        if judgement.mismatches:
            small, told = shrunk(program, way)
            raise AssertionError("\n".join([*told, repr(small)]))
        tally.add(program, judgement)

    with run_few_times():
        check()
    return tally


@contextlib.contextmanager
def run_few_times() -> Iterator[None]:
    """TensorFlow's graph optimizer costs more than it saves for a program that runs a few times."""
    before = tf.config.optimizer.get_experimental_options().get("disable_meta_optimizer", False)
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    try:
        yield
    finally:
        tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": before})
