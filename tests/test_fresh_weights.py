"""Variables made while eager code runs: those made anew in every call are warned of, one that is kept is not."""

from __future__ import annotations

import os

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from explorer.capture.births import noting_births  # noqa: E402 - needs TensorFlow
from explorer.capture.lines import declare_user_folder  # noqa: E402
from explorer.engine import way_eager  # noqa: E402
from explorer.engine.progress import Progress  # noqa: E402
from explorer.engine.targets import Program  # noqa: E402
from explorer.model.case import Case, InputSpec  # noqa: E402

pytestmark = pytest.mark.tensorflow
kept: list = []
runs: list = []


def made_anew(x):
    return tf.reduce_sum(x * tf.Variable([2.0]))


def made_once(x):
    if not kept:
        kept.append(tf.Variable([2.0]))
    return tf.reduce_sum(x * kept[0])


def makes_nothing(x):
    runs.append(1)
    return tf.reduce_sum(x * 2.0)


def warned_at(function) -> list[int]:
    declare_user_folder(os.path.dirname(__file__))
    given = (np.ones(1, np.float32),)
    progress = Progress(lambda *_: None)
    with noting_births(closely=False):
        program = Program(function, (InputSpec("x", (1,)),), given, [], False)
        way_eager.explore(program, given, Case(target="variables"), progress)
    return [risk.location.line for risk in progress.risks() if risk.cause == "fresh_weights" and risk.location]


def test_a_variable_of_every_call_is_warned_of_with_its_line():
    assert warned_at(made_anew) == [made_anew.__code__.co_firstlineno + 1]


def test_a_variable_of_the_first_call_alone_is_fine():
    kept.clear()
    assert warned_at(made_once) == []


def test_a_function_that_makes_none_is_called_once():
    runs.clear()
    assert warned_at(makes_nothing) == []
    assert len(runs) == 1
