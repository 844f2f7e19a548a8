"""Small programs on which prediction and TensorFlow once disagreed; each with the way and what was wrong."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from tests.programs.grammar import Apply, Block, Carry, Choice, Decision, Loop, Program, Read, numbered


@dataclass(frozen=True)
class Regression:
    """``was`` is what the prediction overlooked."""

    name: str
    ways: tuple[str, ...]
    program: Program
    was: str


def _block(*statements: object, results: tuple[int, ...] = (0,)) -> Block:
    return Block(statements, results)


def _program(*statements: object, results: tuple[int, ...] = (0,)) -> Program:
    return numbered(Program(Block(statements, results)))


def _loop(trips: Decision, carries: tuple[Carry, ...], *statements: object) -> Loop:
    return Loop(trips, carries, Block(statements, ()), None, None, None, False, True)


REGRESSIONS = (
    Regression(
        "custom_gradient",
        ("graph", "eager", "tf1"),
        _program(Apply("one_sided", 1, 0)),
        "a custom gradient in a graph is an IdentityN that pairs its results with its arguments, not with themselves",
    ),
    Regression(
        "custom_gradient_that_swaps",
        ("graph", "eager", "tf1"),
        _program(Apply("swapped", 1, 0)),
        "where a gradient goes is for the rule to say: here to an argument that the result was not made of",
    ),
    Regression(
        "the_loss_is_an_input",
        ("graph", "eager", "tf1"),
        _program(results=(0,)),
        "an eager recording had never met a tensor that no op took",
    ),
    Regression(
        "the_loss_is_a_variable",
        ("graph", "eager", "tf1"),
        _program(Read("w0", direct=False), results=(0,)),
        "the same for a variable",
    ),
    Regression(
        "unused_result_beside_a_used_one",
        ("graph", "eager", "tf1"),
        _program(
            _loop(Decision(None), (Carry(0, "kept", 0), Carry(1, "updated", 0)), Apply("stopped", 1, 0)),
            Apply("mix", 0, 0),
        ),
        "TF1 gives zeros to a loop's unused results, so what only stop_gradient reads is answered with zeros",
    ),
    Regression(
        "used_result_beside_a_loss",
        ("graph", "eager", "tf1"),
        _program(
            _loop(Decision(None), (Carry(1, "updated", 0), Carry(0, "kept", 0))),
            Apply("one_sided", 2, 1),
            results=(1, 0),
        ),
        "TF1 fills with zeros only beside a result that is used further: a loss alone does not count",
    ),
    Regression(
        "missing_rule_met_by_zeros",
        ("graph", "eager"),
        _program(Apply("resized", 0, 0), Apply("passed", 1, 0)),
        "zeros arrive at an op without a gradient, beside the result that is used, and the backward pass raises",
    ),
    Regression(
        "missing_rule_in_a_branch_never_taken",
        ("graph",),
        _program(Choice(Decision(0), (_block(Apply("mix", 0, 1)), _block(Apply("resized", 0, 0))))),
        "TensorFlow differentiates the branch that it will never take, too",
    ),
)


def main(way: str) -> int:
    """Judge all of one way: for TF1, which needs a process of its own."""
    from explorer.engine.way_tf1 import switch_on
    from tests.programs.judge import judge

    if way == "tf1":
        switch_on()
    chosen = [r for r in REGRESSIONS if way in r.ways]
    told = [f"{r.name}: {sentence} ({r.was})" for r in chosen for sentence in judge(r.program, way).mismatches]
    sys.stdout.write("\n".join([f"{len(chosen)} judged", *told]) + "\n")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
