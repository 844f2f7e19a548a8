"""The command line: what it prints, what it writes, how it exits. A fake engine stands in for TensorFlow."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from explorer.cli.main import Services, main
from explorer.cli.parser import REPORTS, WRITES
from explorer.codec.document import document
from explorer.export.files import WRITERS
from explorer.model.case import Case
from explorer.model.verdict import STAGES, Exploration
from explorer.report.files import SUFFIXES
from tests.explorations import died, disagreeing, exploration
from tests.watched_samples import watched

TARGET = "nested_while_loop"


@dataclass
class FakeJob:
    """Goes through the stages as it is asked for them, then ends as it was told to."""

    end: Exploration
    stages: list[str] = field(default_factory=lambda: list(STAGES[:-1]))
    interrupt: bool = False
    cancelled: bool = False

    def wait_for(self, arrived: Callable[[Exploration], bool], timeout: float | None = None) -> Exploration:
        if self.interrupt and len(self.stages) < 3:
            raise KeyboardInterrupt
        if not self.stages:
            return self.end
        return replace(self.end, stage=self.stages.pop(0), outcome=None)

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class FakeEngine:
    """Answers each case with the next exploration; remembers what it was asked."""

    answers: list[Exploration]
    interrupt: bool = False
    cases: list[Case] = field(default_factory=list)
    jobs: list[FakeJob] = field(default_factory=list)
    closed: bool = False

    def start(self, case: Case) -> FakeJob:
        self.cases.append(case)
        way = case.way or "graph"
        self.jobs.append(FakeJob(replace(self.answers[len(self.jobs)], way=way), interrupt=self.interrupt))
        return self.jobs[-1]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@dataclass
class Desk:
    """One call of the command line and what came of it."""

    engine: FakeEngine
    out: io.StringIO = field(default_factory=io.StringIO)
    err: io.StringIO = field(default_factory=io.StringIO)
    pictures: list[Path] = field(default_factory=list)
    reports: list[tuple[tuple[str, ...], Path]] = field(default_factory=list)

    def call(self, *words: str) -> int:
        @contextmanager
        def open_engine():
            try:
                yield self.engine
            finally:
                self.engine.closed = True

        services = Services(
            open_engine,
            lambda _, path: self.pictures.append(path),
            lambda runs, path: self.reports.append((tuple(run.way for run in runs), path)),
        )
        return main(words, services, self.out, self.err)


def desk(*answers: Exploration, **changes: object) -> Desk:
    return Desk(FakeEngine(list(answers) or [exploration()]), **changes)


@pytest.mark.parametrize(
    ("answer", "words", "code"),
    [
        (exploration(), (), 0),
        (exploration(x="not-trainable"), (), 0),
        (exploration(x="zero"), (), 0),
        (exploration(x="zero"), ("--strict",), 1),
        (exploration(x="vanishing"), (), 0),
        (exploration(x="vanishing"), ("--strict",), 1),
        (exploration(w="exploding"), (), 0),
        (exploration(w="exploding"), ("--strict",), 1),
        (exploration(x="none-blocked"), (), 1),
        (exploration(x="none-disconnected"), (), 1),
        (exploration(x="zero-blocked"), (), 1),
        (exploration(w="nan"), (), 1),
        (exploration(w="inf"), (), 1),
        (exploration(w="raised"), (), 1),
        (disagreeing(), (), 1),
        (died("raised"), (), 1),
        (died("crashed"), (), 3),
        (died("timed_out"), (), 3),
        (died("out_of_memory", traced=False), (), 3),
        (died("cancelled"), (), 130),
        (exploration(x="unobserved", run=None), ("--static-only",), 0),
        (replace(exploration(x="none-blocked"), run=None, conclusions=()), ("--static-only",), 1),
    ],
)
def test_the_exit_code_says_what_was_found(answer: Exploration, words: tuple[str, ...], code: int) -> None:
    assert desk(answer).call("run", TARGET, *words) == code


def test_json_to_stdout_is_the_document_and_nothing_else() -> None:
    at = desk(exploration(x="none-blocked"), err=Terminal())
    assert at.call("run", TARGET, "--json", "-") == 1
    assert json.loads(at.out.getvalue()) == document(exploration(x="none-blocked"))


def test_json_to_a_file_leaves_the_text_on_stdout(tmp_path: Path) -> None:
    at = desk()
    assert at.call("run", TARGET, "--json", str(tmp_path / "result.json")) == 0
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8")) == document(exploration())
    assert "Sources" in at.out.getvalue()


def test_what_was_said_reaches_the_engine() -> None:
    at = desk()
    said = (
        "--input x=None,4,None,10 --size x=3,4,7,10 --option cell=GRU --option units=5 --breaker stop_gradient@outer "
    )
    said += "--wrt x --wrt bias --device cpu --seed 7 --timeout 1.5 --memory 900 --way xla --static-only "
    said += "--second-order --check-numbers"
    assert at.call("run", TARGET, *said.split()) == 0
    (case,) = at.engine.cases
    assert (case.target, case.inputs[0].shape, case.inputs[0].size) == (TARGET, (None, 4, None, 10), (3, 4, 7, 10))
    assert dict(case.options).items() >= {"cell": "GRU", "units": 5}.items()
    assert (case.breaker, case.wrt, case.device, case.seed) == ("stop_gradient@outer", ("x", "bias"), "cpu", 7)
    assert (case.timeout, case.memory, case.way, case.static_only) == (1.5, 900, "xla", True)
    assert (case.second_order, case.check_numbers) == (True, True)


def test_several_ways_are_run_once_each_and_compared() -> None:
    at = desk(exploration(), exploration(x="nan"))
    assert at.call("run", TARGET, "--way", "graph", "--way", "xla", "--way", "graph", "--json", "-") == 1
    found = json.loads(at.out.getvalue())
    assert [case.way for case in at.engine.cases] == ["graph", "xla"]
    assert {way: part["sources"][0]["measured"] for way, part in found["ways"].items()} == {
        "graph": "finite",
        "xla": "nan",
    }
    assert [row["source"] for row in found["differences"]] == ["x"]


def test_ways_that_differ_are_a_finding_of_their_own() -> None:
    at = desk(exploration(), exploration(x="zero"))
    assert at.call("run", TARGET, "--way", "graph", "--way", "eager") == 1
    assert "The gradient of x is finite in tf.function, exactly zero eagerly." in at.out.getvalue()


def test_progress_is_for_terminals_only() -> None:
    silent, shown = desk(), desk(err=Terminal())
    assert silent.call("run", TARGET) == shown.call("run", TARGET) == 0
    assert silent.err.getvalue() == ""
    assert "tracing" in shown.err.getvalue()
    assert shown.err.getvalue().endswith("\r\x1b[K")


def test_ctrl_c_cancels_the_job_and_closes_the_engine() -> None:
    at = desk()
    at.engine.interrupt = True
    assert at.call("run", TARGET) == 130
    assert at.engine.jobs[0].cancelled
    assert at.engine.closed
    assert at.out.getvalue() == ""


def test_pictures_are_written_after_the_run(tmp_path: Path) -> None:
    at = desk()
    files = [tmp_path / "a.png", tmp_path / "b.SVG"]
    assert at.call("run", TARGET, "--export", str(files[0]), "--export", str(files[1])) == 0
    assert at.pictures == files


def test_heat_maps_are_written_where_something_was_watched(tmp_path: Path) -> None:
    file = tmp_path / "a.heat.svg"
    at = desk(watched())
    assert at.call("run", TARGET, "--probe", "--export", str(file)) == 0
    assert at.pictures == [file]
    at = desk(exploration())
    assert at.call("run", TARGET, "--probe", "--export", str(file)) == 0
    assert at.pictures == []
    assert "no iteration was watched" in at.err.getvalue()


def test_the_parser_knows_what_the_export_can_write() -> None:
    assert tuple(WRITERS) == WRITES
    assert SUFFIXES == REPORTS


def test_a_report_holds_every_way(tmp_path: Path) -> None:
    at = desk(exploration(), exploration(x="nan"))
    file = tmp_path / "r.md"
    assert at.call("run", TARGET, "--way", "graph", "--way", "xla", "--report", str(file)) == 1
    assert at.reports == [(("graph", "xla"), file)]


def test_no_graph_no_picture(tmp_path: Path) -> None:
    at = desk(died("crashed", traced=False))
    assert at.call("run", TARGET, "--export", str(tmp_path / "a.png")) == 3
    assert at.pictures == []
    assert "a.png was not written" in at.err.getvalue()


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("", "strategies, run or compare"),
        ("run", "TARGET"),
        ("fly", "fly"),
        ("run nested_while_loop --wheels 3", "--wheels"),
        ("run nested_while_loop --time 3", "--time"),
        ("run nested_while_lop", "nested_while_lop"),
        ("run nowhere.py", "nowhere.py"),
        ("run nested_while_loop --input x=3,x", "'x' is not a dimension"),
        ("run nested_while_loop --input x=None,None,None,None", "features"),
        ("run nested_while_loop --input x=3,None,None,10 --size x=4,5,7,10", "4"),
        ("run nested_while_loop --size x=0,5,7,10", "0"),
        ("run nested_while_loop --size x=-3,5,7,10", "-3"),
        ("run nested_while_loop --size x=1000000,1000000,7,10", "elements"),
        ("run nested_while_loop --option cel=GRU", "cell"),
        ("run nested_while_loop --breaker stop", "stop"),
        ("run nested_while_loop --device tpu", "tpu"),
        ("run nested_while_loop --seed x", "--seed"),
        ("run nested_while_loop --timeout 0", "--timeout"),
        ("run nested_while_loop --memory -1", "--memory"),
        ("run nested_while_loop --way jit", "jit"),
        ("run nested_while_loop --probe-op ;", "--probe-op"),
        ("run nested_while_loop --report r.pdf", ".html or .md"),
        ("run nested_while_loop --report no/such/folder/r.html", "Cannot write"),
        ("compare --export a.graphml", ".csv or .json"),
        ("run nested_while_loop --export a.bmp", ".png or .svg"),
        ("run nested_while_loop --export picture", ".png or .svg"),
        ("run nested_while_loop --export no/such/folder/a.png", "Cannot write"),
        ("run nested_while_loop --export a.heat.svg", "add --probe"),
        ("run nested_while_loop --probe --export a.heat.dot", ".heat.svg"),
        ("compare --export a.heat.svg", "from run"),
        ("run nested_while_loop --json no/such/folder/a.json", "Cannot write"),
    ],
)
def test_bad_input_is_one_line_and_runs_nothing(words: str, part: str) -> None:
    at = desk()
    assert at.call(*words.split()) == 2
    said = at.err.getvalue()
    assert said.count("\n") == 1
    assert said.startswith("explorer: ")
    assert part in said
    assert at.engine.cases == []
    assert at.out.getvalue() == ""


def test_strategies_are_listed_for_people_and_for_scripts() -> None:
    people, scripts = desk(), desk()
    assert people.call("strategies") == scripts.call("strategies", "--json") == 0
    rows = json.loads(scripts.out.getvalue())
    assert {"map_fn_keras_rnn", "nested_while_loop", "python_loop_tape", "tf1_map_fn_dynamic_rnn"} <= {
        row["key"] for row in rows
    }
    assert all(row["key"] in people.out.getvalue() for row in rows)
