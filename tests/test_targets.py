"""Own models in every format, through the engine: written by one process, read by another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.client import Engine
from explorer.model.verdict import Exploration
from explorer.strategies.parse import make_case
from tests import target_writers

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(300)]


class Desk:
    """Explores files of one folder; ``of_code`` holds what is known of the models from their code."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.engine, self.folder = engine, folder
        for name in ("SAVED", "FROZEN", "CALLABLES"):
            (folder / f"{name.lower()}.py").write_text(getattr(target_writers, name))
        self.of_code = {name: self.explored(f"{name}.py") for name in ("saved", "frozen")}

    def explored(self, target: str, **words) -> Exploration:
        return self.engine.start(make_case(str(self.folder / target), **words)).wait(200)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with Engine() as engine:
        yield Desk(engine, tmp_path_factory.mktemp("targets"))


def shapes(found: Exploration) -> tuple:
    assert found.snapshot is not None, found.failure
    return (
        [(loop.id, loop.parent, loop.kind) for loop in found.snapshot.loops],
        [(s.name, s.kind, s.dtype, s.shape, s.trainable) for s in found.snapshot.sources],
    )


def norms(found: Exploration) -> dict:
    assert found.run is not None, found.failure
    return {m.source: m.norm for m in found.run.measurements}


def statuses(found: Exploration) -> dict[str, str]:
    return {c.source: c.status for c in found.conclusions}


@pytest.mark.parametrize("target", ["one", "one.zip", "two:run"])
def test_a_saved_model_has_the_loops_and_sources_of_its_code(desk: Desk, target: str) -> None:
    found, code = desk.explored(target, sizes=["x=2"]), desk.of_code["saved"]
    assert found.outcome == "done", found.failure
    assert shapes(found) == shapes(code)
    assert any("name scopes" in note for note in found.notes)


def test_the_variable_that_reloading_loses_is_found_and_measured_right(desk: Desk) -> None:
    """TensorFlow answers exactly 0; the code says what it should be, and the repaired graph agrees with the code."""
    found, truth = desk.explored("one", sizes=["x=2"]), norms(desk.of_code["saved"])
    assert statuses(found) == {"x": "flows", "rate": "zero-blocked", "scale": "flows"}
    assert [b.cause for b in found.flow.barriers] == ["lost_handle_data"]
    assert norms(found)["rate"] == 0.0
    assert norms(found)["scale"] == pytest.approx(truth["scale"])
    told = next(note for note in found.notes if note.startswith("rate"))
    assert "exactly 0" in told
    assert float(told.rstrip(".").rpartition(" ")[2]) == pytest.approx(truth["rate"], rel=1e-5)
    assert truth["rate"] != pytest.approx(0.0, abs=0.1), "the true gradient is far from zero"


def test_a_cut_in_a_saved_model_is_named_by_its_op(desk: Desk) -> None:
    found = desk.explored("two:cut")
    assert statuses(found) == {"x": "none-blocked", "scale": "flows"}
    assert [(b.op_type, b.op_name, b.cause) for b in found.flow.barriers] == [("Round", "Round", "rule_returns_none")]


def test_a_keras_file_tells_its_inputs_and_its_training_loss(desk: Desk) -> None:
    output, loss = desk.explored("model.keras"), desk.explored("model.keras", loss="categorical_crossentropy")
    told = {name: status for name, status in statuses(loss).items() if status != "not-trainable"}
    weights = ["gru/gru_cell/kernel", "gru/gru_cell/recurrent_kernel", "gru/gru_cell/bias", "dense/kernel"]
    assert told == dict.fromkeys(["inputs", *weights, "dense/bias"], "flows")
    assert output.case.inputs == ()
    assert output.snapshot.sources[0].shape == (None, None, 4)
    # the outputs of a softmax add up to one whatever the weights are; their loss does not
    assert norms(output)["dense/kernel"] == pytest.approx(0.0, abs=1e-5)
    assert norms(loss)["dense/kernel"] != pytest.approx(0.0, abs=1e-2)


@pytest.mark.parametrize(
    ("target", "which"), [("graph.pb", "nested"), ("graph.pbtxt", "nested"), ("mapped.pb", "mapped")]
)
def test_a_frozen_graph_with_frames_is_measured_as_its_code_is(desk: Desk, target: str, which: str) -> None:
    code = desk.of_code["frozen"] if which == "nested" else desk.explored("frozen.py", options=["which=mapped"])
    found = desk.explored(target, sizes=["x=2" if which == "nested" else "x=3,3,4"])
    assert found.outcome == "done", found.failure
    assert shapes(found) == shapes(code)
    assert norms(found) == pytest.approx(norms(code))
    assert statuses(found) == {"x": "flows", "w": "flows"}


def test_a_cond_in_a_frozen_loop_is_predicted_only_and_says_why(desk: Desk) -> None:
    found = desk.explored("branching.pb")
    assert found.run is None
    assert {p.source: p.predicted for p in found.flow.predictions} == {"x": "none-blocked", "w": "flows"}
    assert any("unobserved" in note and "cond" in note for note in found.notes)


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("module.step", {"x": (None, 3)}),
        ("module.plain", {"x": (None, 3)}),
        ("Module.step", {"x": (None, 3)}),
        ("make().step", {"x": (None, 3)}),
        ("packed", {"parts_a": (2,), "parts_b_0": (2,), "parts_b_1": ()}),
        ("annotated", {"x": (None, 3)}),
        ("model", {"inputs": (None, 4)}),
        ("layer", {"sequences": (None, 5, 4)}),
    ],
)
def test_a_callable_tells_its_signature(desk: Desk, name: str, inputs: dict) -> None:
    found = desk.explored(f"callables.py:{name}")
    assert found.outcome == "done", found.failure
    assert {s.name: s.shape for s in found.snapshot.sources if s.kind == "input"} == inputs
    assert set(statuses(found).values()) <= {"flows", "not-trainable"}


def test_options_reach_the_factory(desk: Desk) -> None:
    found = desk.explored("callables.py:make().step", options=["units=5"], sizes=["x=4,3"])
    assert {s.name: s.shape for s in found.snapshot.sources} == {"x": (None, 3), "w": (3, 5)}


@pytest.mark.parametrize(
    ("target", "words", "told"),
    [
        ("two", {}, "several signatures: write two:NAME with one of cut, run"),
        ("two:walk", {}, "no signature 'walk'; its signatures are: cut, run"),
        ("one", {"inputs": ["y=2"]}, "one has no input 'y'; its inputs are: x"),
        ("own.keras", {}, "own.keras needs the class 'Own'"),
        ("lambda.keras", {}, "lambda.keras holds a Lambda layer"),
        ("graph.pb", {"loss": "end"}, "graph.pb has no op 'end' for --loss: its ends are Sum"),
        ("graph.pb", {"way": "xla"}, "leave --way xla out"),
        ("callables.py:bare", {}, "give --input x=SHAPE"),
        ("callables.py:make()", {"options": ["width=5"]}, "make() cannot be called with these options"),
    ],
)
def test_what_cannot_be_met_is_one_sentence(desk: Desk, target: str, words: dict, told: str) -> None:
    found = desk.explored(target, **words)
    assert found.failure is not None
    assert found.failure.type == "BadInput", found.failure.detail
    assert told in found.failure.message
    assert "\n" not in found.failure.message
