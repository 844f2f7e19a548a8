"""Every way in which a job can end, with real processes and a work function that needs no TensorFlow."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.client import Engine
from explorer.model.case import Case
from explorer.model.verdict import Exploration
from tests import fake_work

PATIENCE = 30.0


def unjudged(exploration: Exploration) -> Exploration:
    return exploration


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine("tests.fake_work:explore", preload=(), conclude=unjudged) as engine:
        yield engine


def explored(engine: Engine, target: str, **limits: float) -> Exploration:
    return engine.start(replace(Case(target), **limits)).wait(PATIENCE)


def test_done_brings_every_field(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = explored(engine, "done")
    assert result.outcome == "done"
    assert result.failure is None
    assert result.stage == "backward"
    assert result.snapshot == fake_work.SNAPSHOT
    assert result.trips == {"outer": (3,), "outer/inner": (7, 7, 7)}
    assert result.run is not None
    assert result.run.loss == 1.5
    assert [math.isnan(result.run.measurements[0].norm or 0), result.run.measurements[1].norm] == [True, math.inf]
    assert result.surroundings.versions == {"folder": str(tmp_path)}, "the child works where the client is"
    assert set(result.seconds) == {"start", "build", "trace", "total"}
    assert result.seconds["total"] >= result.seconds["start"] > 0
    assert result.memory["peak"] > 1


def test_conclude_sees_run_and_end() -> None:
    seen = []

    def conclude(exploration: Exploration) -> Exploration:
        seen.append((exploration.outcome, exploration.run is not None))
        return replace(exploration, way="judged")

    with Engine("tests.fake_work:explore", preload=(), conclude=conclude) as engine:
        assert explored(engine, "done").way == "judged"
    assert seen == [(None, True), ("done", True)]


def test_defect_in_conclude_ends_the_job() -> None:
    def conclude(exploration: Exploration) -> Exploration:
        raise KeyError("row")

    with Engine("tests.fake_work:explore", preload=(), conclude=conclude) as engine:
        result = explored(engine, "done")
    assert result.outcome == "crashed"
    assert result.snapshot == fake_work.SNAPSHOT
    assert result.failure is not None
    assert "KeyError" in result.failure.message


def test_failure_emitted_by_the_work(engine: Engine) -> None:
    result = explored(engine, "failing")
    assert result.outcome == "raised"
    assert result.failure is not None
    assert (result.failure.stage, result.failure.message) == ("trace", "Shapes differ.")


@pytest.mark.parametrize(
    ("target", "stage", "kind", "words"),
    [
        ("raising", "build", "LookupError", "no gradient"),
        ("leaving", "start", "SystemExit", "the model file left"),
        ("unsendable", "start", "TypeError", "seconds holds a value that cannot leave the process"),
        ("no such behaviour", "start", "KeyError", "no such behaviour"),
    ],
)
def test_exception_that_leaves_the_work(engine: Engine, target: str, stage: str, kind: str, words: str) -> None:
    result = explored(engine, target)
    assert result.outcome == "raised"
    assert result.failure is not None
    assert (result.failure.stage, result.failure.type) == (stage, kind)
    assert words in result.failure.message
    assert "Traceback" in result.failure.detail


def test_value_of_wrong_type_is_a_defect_that_is_said(engine: Engine) -> None:
    result = explored(engine, "wrong type")
    assert result.outcome == "crashed"
    assert result.failure is not None
    assert "ValidationError" in result.failure.message
    assert explored(engine, "done").outcome == "done"


def test_crash_names_the_signal_and_keeps_the_snapshot(engine: Engine) -> None:
    result = explored(engine, "crashing")
    assert result.outcome == "crashed"
    assert result.snapshot == fake_work.SNAPSHOT
    assert result.failure is not None
    assert (result.failure.type, result.failure.stage) == ("SIGSEGV", "backward")
    assert result.failure.message == "The process that ran the model died (SIGSEGV) while running the backward pass."
    assert result.failure.location is not None
    assert result.failure.location.function == "_crashing"


def test_exit_keeps_the_last_words(engine: Engine) -> None:
    result = explored(engine, "exiting")
    assert result.outcome == "crashed"
    assert result.failure is not None
    assert result.failure.type == "exit code 7"
    assert result.failure.detail == "last words"


def test_time_limit_on_an_endless_loop(engine: Engine) -> None:
    result = explored(engine, "endless", timeout=0.3)
    assert result.outcome == "timed_out"
    assert result.snapshot == fake_work.SNAPSHOT
    assert 0.3 <= result.seconds["total"] < 5
    assert result.failure is not None
    assert result.failure.message == "Stopped after 0.3 s, the time limit, while running the backward pass."
    assert result.failure.location is not None
    assert (Path(result.failure.location.file).name, result.failure.location.function) == ("fake_work.py", "_endless")


def test_memory_limit(engine: Engine) -> None:
    result = explored(engine, "hungry", memory=150)
    assert result.outcome == "out_of_memory"
    assert result.failure is not None
    assert result.failure.message == "Stopped at 150 MB of memory, while running the backward pass."
    assert result.memory["peak"] > 150


def test_cancel(engine: Engine) -> None:
    job = engine.start(Case("endless"))
    assert job.wait_for(lambda known: known.stage == "backward", PATIENCE).stage == "backward"
    assert job.running
    job.cancel()
    result = job.wait(PATIENCE)
    assert result.outcome == "cancelled"
    assert result.snapshot == fake_work.SNAPSHOT
    assert result.failure is not None
    assert result.failure.message == "Cancelled while running the backward pass."
    job.cancel()
    assert job.exploration is result


def module(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> str:
    """The name of a module that the host can import."""
    (folder / "to_preload.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return "to_preload"


def test_cancel_before_the_engine_is_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "nobody_writes")
    endless = module(tmp_path, monkeypatch, f"open({str(tmp_path / 'nobody_writes')!r}).read()")
    with Engine("tests.fake_work:explore", preload=(endless,), conclude=unjudged) as engine:
        job = engine.start(Case("done"))
        job.cancel()
        assert job.wait(PATIENCE).outcome == "cancelled"
        assert not engine.ready


def test_megabytes_printed_are_harmless(engine: Engine) -> None:
    result = explored(engine, "printing")
    assert (result.outcome, result.stage) == ("done", "trace")


def test_two_jobs_at_once(engine: Engine) -> None:
    endless = engine.start(Case("endless"))
    endless.wait_for(lambda known: known.stage == "backward", PATIENCE)
    assert explored(engine, "done").outcome == "done"
    assert endless.running
    endless.cancel()
    assert endless.wait(PATIENCE).outcome == "cancelled"


def test_many_jobs_at_once(engine: Engine) -> None:
    jobs = [engine.start(Case(("done", "raising", "crashing")[number % 3])) for number in range(12)]
    assert [job.wait(PATIENCE).outcome for job in jobs] == ["done", "raised", "crashed"] * 4


def test_engine_does_not_depend_on_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", os.environ.get("PYTHONPATH", "")]))
    monkeypatch.chdir(tmp_path)
    with Engine("tests.fake_work:explore", preload=(), conclude=unjudged) as engine:
        assert engine.wait_ready(PATIENCE)
        assert explored(engine, "done").outcome == "done"


def test_engine_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = module(tmp_path, monkeypatch, "raise RuntimeError('this module is broken')")
    with Engine("tests.fake_work:explore", preload=(broken,), conclude=unjudged) as engine:
        result = explored(engine, "done")
        assert result.outcome == "crashed"
        assert result.failure is not None
        assert result.failure.message.startswith("The engine could not start (exit code 1)")
        assert "this module is broken" in result.failure.detail


def test_work_that_does_not_exist_is_said() -> None:
    with Engine("tests.no_such_module:explore", preload=(), conclude=unjudged) as engine:
        result = explored(engine, "done")
    assert result.outcome == "raised"
    assert result.failure is not None
    assert "no_such_module" in result.failure.message


def test_closed_engine() -> None:
    engine = Engine("tests.fake_work:explore", preload=(), conclude=unjudged)
    job = engine.start(Case("endless"))
    job.wait_for(lambda known: known.stage == "backward", PATIENCE)
    engine.close()
    assert job.wait(PATIENCE).outcome == "cancelled"
    engine.close()
    with pytest.raises(RuntimeError, match="closed"):
        engine.start(Case("done"))
