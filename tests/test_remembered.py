"""What gradient rules answered is remembered between the children of one engine, and changes nothing but the time."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.capture import remembered
from explorer.capture.remembered import Remembered
from explorer.client import Engine
from explorer.model.graph import Signature
from explorer.model.verdict import Exploration
from explorer.strategies.parse import make_case

ANSWER = Signature("ok", frozenset({(0, 1)}), frozenset({0, 1}))


def tensorflows_rule() -> None: ...


tensorflows_rule.__module__ = "tensorflow.python.ops.math_grad"


def users_rule() -> None: ...


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "signatures"
    monkeypatch.setenv(remembered.FILE, str(path))
    return path


def noted(key: tuple, rule: object) -> Remembered:
    memory = Remembered()
    assert memory.find(key) is None
    memory.note(key, rule, ANSWER)
    memory.save()
    return memory


def test_the_next_process_knows(file: Path) -> None:
    noted(("Mul", 1), tensorflows_rule)
    assert Remembered().find(("Mul", 1)) == ANSWER
    assert Remembered().find(("Mul", 2)) is None
    assert os.listdir(file.parent) == [file.name]


@pytest.mark.parametrize(
    ("key", "rule"),
    [(("Mul", 1), users_rule), (("While", "<function body at 0x7f00>"), tensorflows_rule)],
    ids=["a rule of the user's", "a key that holds an object"],
)
def test_what_another_process_could_answer_otherwise_is_asked_anew(file: Path, key: tuple, rule: object) -> None:
    noted(key, rule)
    assert Remembered().find(key) is None


def test_without_a_place_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(remembered.FILE, raising=False)
    monkeypatch.chdir(tmp_path)
    noted(("Mul", 1), tensorflows_rule)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.tensorflow
@pytest.mark.parametrize("strategy", ["python_loop_tape", "nested_while_loop", "tf1_map_fn_dynamic_rnn"])
def test_a_remembered_answer_is_the_one_that_asking_gives(strategy: str) -> None:
    case = make_case(strategy, breaker="integer_cast@inner")
    with Engine() as engine:
        asked, known = (timeless(engine.start(case).wait(120)) for _ in range(2))
    assert asked.outcome == "done"
    assert known == asked


def timeless(exploration: Exploration) -> Exploration:
    return replace(exploration, seconds={}, memory={})
