"""What every iteration of a loop in a graph reports, against answers found without the explorer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.client import Engine
from explorer.model.case import Case, Way
from explorer.model.probes import Probe
from explorer.model.verdict import Exploration
from explorer.rules.first_bad import first_bad
from explorer.rules.watched import trend_of
from explorer.strategies.parse import make_case

pytest.importorskip("tensorflow")

pytestmark = pytest.mark.tensorflow
PROGRAMS = Path(__file__).parent / "probe_programs.py"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


def run(engine: Engine, case: Case) -> Exploration:
    found = engine.start(case).wait(110)
    assert found.outcome == "done", found.failure
    return found


def probed(engine: Engine, program: str, parallel: int = 10, way: Way = "graph", **more: object) -> Exploration:
    options = (("program", program), ("parallel", parallel))
    return run(engine, Case(str(PROGRAMS), options=options, way=way, device="cpu", probe=True, **more))


def states(found: Exploration, direction: str, depth: int = 1) -> Probe:
    """The one carried state of the loop at a depth."""
    (probe,) = (p for p in found.probes if p.direction == direction and p.slot >= 0 and p.loop.count("/") == depth - 1)
    return probe


def norms(probe: Probe) -> dict[tuple[int, ...], tuple[float, ...]]:
    return {run.outer: run.norms for run in probe.runs}


@pytest.mark.parametrize("parallel", [1, 10, 32])
def test_a_state_that_doubles_gives_4_2_1(engine: Engine, parallel: int) -> None:
    found = probed(engine, "doubling", parallel)
    forward, backward = states(found, "forward"), states(found, "backward")
    assert norms(backward) == {(): (4.0, 2.0, 1.0)}
    assert norms(forward) == {(): (2.0, 4.0, 8.0)}
    assert trend_of(found, backward).rate == pytest.approx(2.0)
    assert trend_of(found, forward).rate == pytest.approx(2.0)
    assert (forward.runs[0].start, backward.runs[0].start) == (1.0, 8.0)
    assert found.trips == {forward.loop: (3,)}
    assert found.notes == ()


@pytest.mark.parametrize("cell", ["SimpleRNN", "GRU", "LSTM"])
def test_a_keras_rnn_in_map_fn_is_the_python_loop_on_the_same_weights(engine: Engine, cell: str) -> None:
    check_against_truth(engine, "map_fn_keras_rnn", cell)


@pytest.mark.parametrize("strategy", ["nested_while_loop", "scan", "autograph_for", "autograph_while_break"])
def test_other_strategies_are_the_same_python_loop(engine: Engine, strategy: str) -> None:
    check_against_truth(engine, strategy, "LSTM")


def check_against_truth(engine: Engine, strategy: str, cell: str) -> None:
    from sample_models.map_fn_keras_rnn import starting_weights
    from tests.probe_truth import rnn_states

    case = make_case(strategy, ["x=None,None,None,10"], ["x=3,5,7,10"], [f"cell={cell}"], probe=True)
    found = run(engine, case)
    carried = {s.index for s in found.snapshot.loops[1].slots if s.role == "state"}
    inner = [p for p in found.probes if p.loop == found.snapshot.loops[1].id and p.slot in carried]
    truth = rnn_states(cell, (3, 5, 7, 10), starting_weights)
    for direction, wanted in zip(("forward", "backward"), truth, strict=True):
        seen = [p for p in inner if p.direction == direction]
        assert len(seen) == len(wanted)
        for probe, rows in zip(seen, wanted.values(), strict=True):
            assert norms(probe) == {(i,): pytest.approx(tuple(row), rel=1e-4) for i, row in enumerate(rows)}
    assert [found.trips[loop.id] for loop in found.snapshot.loops] == [(3,), (7, 7, 7)]


def test_inner_loops_of_different_lengths_keep_their_place(engine: Engine) -> None:
    found = [probed(engine, "ragged", parallel) for parallel in (1, 10, 32)]
    for direction in ("forward", "backward"):
        inner = [norms(states(each, direction, 2)) for each in found]
        assert inner[0] == inner[1] == inner[2]
        assert {outer: len(run) for outer, run in inner[0].items()} == {(0,): 3, (1,): 0, (3,): 1}
    assert found[0].trips == {"while": (4,), states(found[0], "forward", 2).loop: (3, 0, 1)}
    backward = {run.outer: run for run in states(found[0], "backward", 2).runs}
    assert backward[(1,)].start == pytest.approx(norms(states(found[0], "backward"))[()][1] * 1.1, rel=1e-6)


def test_three_levels(engine: Engine) -> None:
    deepest = norms(states(probed(engine, "three"), "forward", 3))
    assert {outer: len(run) for outer, run in deepest.items()} == {(i, j): j + 1 for i in range(3) for j in range(2)}
    h = 0.7
    for i in range(3):
        for j in range(2):
            for k in range(j + 1):
                h = math.sin(h) * 1.2
                assert deepest[(i, j)][k] == pytest.approx(h, rel=1e-5)
            h += 0.1


def test_a_branch_between_loops_hides_no_iteration(engine: Engine) -> None:
    found = probed(engine, "branched")
    assert norms(states(found, "backward", 3)) == {
        (0, 0): (128.0,), (0, 2): (64.0, 32.0, 16.0), (1, 0): (8.0,), (1, 2): (4.0, 2.0, 1.0),
    }  # fmt: skip
    assert found.notes == ()


def test_a_loop_that_stops_early_has_as_many_iterations_as_it_ran(engine: Engine) -> None:
    assert norms(states(probed(engine, "early"), "backward")) == {(): (8.0, 4.0, 2.0, 1.0)}


def test_a_state_that_is_replaced_is_told_from_one_whose_gradient_is_zero(engine: Engine) -> None:
    backward = states(probed(engine, "reset"), "backward")
    assert (backward.cut, norms(backward)) == (True, {(): (0.0, 0.0, 1.0)})
    assert not states(probed(engine, "doubling"), "backward").cut


def test_a_variable_handed_on_as_another_has_its_own_gradient(engine: Engine) -> None:
    found = probed(engine, "swap")
    backward = {p.name: norms(p)[()] for p in found.probes if p.direction == "backward"}
    assert backward == {"a": (2.0, 1.0, 1.0, 0.0), "b": (3.0, 2.0, 1.0, 1.0)}


def test_a_tf_function_called_in_a_loop_does_not_hide_the_iteration(engine: Engine) -> None:
    inner = states(probed(engine, "called"), "backward", 2)
    assert norms(inner) == {(0,): (32.0, 16.0), (1,): (8.0, 4.0), (2,): (2.0, 1.0)}


def test_health_tells_the_iteration_in_which_numbers_go_bad(engine: Engine) -> None:
    found = probed(engine, "nan")
    health = states(found, "forward").runs[0].health
    assert health is not None
    assert health.nans == (0, 0, 1, 1, 1)
    assert health.infs == (0,) * 5
    bad = first_bad(found)
    assert bad is not None
    assert (bad.kind, bad.probe.direction, bad.at) == ("nan", "forward", (2,))
    assert health.least[0] == health.largest[0] == pytest.approx(math.sqrt(0.5))


def test_items_written_to_a_list_are_watched(engine: Engine) -> None:
    found = probed(engine, "list_only")
    assert norms(states(found, "forward")) == {(): (1.0, 2.0, 3.0)}
    assert norms(states(found, "backward")) == {(): (2.0, 4.0, 6.0)}


def test_ops_are_watched_by_name(engine: Engine) -> None:
    found = probed(engine, "doubling", probe_ops=("mul", "no_such_op"))
    named = {p.direction: norms(p)[()] for p in found.probes if p.slot < 0}
    assert named == {"forward": (2.0, 4.0, 8.0), "backward": (4.0, 2.0, 1.0)}
    assert len(found.notes) == 1
    assert "no_such_op" in found.notes[0]


def test_under_xla_it_is_said_why_nothing_is_seen(engine: Engine) -> None:
    found = run(engine, make_case("xla_nested_while_loop", way="xla", probe=True))
    assert found.probes
    assert all("XLA" in p.unobserved and not p.runs for p in found.probes)


def test_eagerly_a_state_that_doubles_gives_4_2_1(engine: Engine) -> None:
    found = probed(engine, "doubling", way="eager")
    backward = states(found, "backward")
    assert (norms(backward), backward.runs[0].start) == ({(): (4.0, 2.0, 1.0)}, 8.0)
    assert norms(states(found, "forward")) == {(): (2.0, 4.0, 8.0)}


def test_eager_loops_are_the_loops_of_the_graph(engine: Engine) -> None:
    eager, graph = probed(engine, "ragged", way="eager"), probed(engine, "ragged")
    for direction in ("forward", "backward"):
        for depth in (1, 2):
            ran = {outer: run for outer, run in norms(states(graph, direction, depth)).items() if run}
            assert norms(states(eager, direction, depth)) == {outer: pytest.approx(run) for outer, run in ran.items()}


def test_a_python_loop_under_a_tape_is_the_same_python_loop(engine: Engine) -> None:
    check_against_truth(engine, "python_loop_tape", "LSTM")


def test_python_loops_keep_the_last_value_whatever_runs_inside(engine: Engine) -> None:
    """The inner loops differ in length, so the place of an op in an iteration tells nothing."""
    found = probed(engine, "python_ragged", way="eager")
    assert norms(states(found, "backward")) == {(): (64.0, 32.0, 1.0)}
    assert norms(states(found, "backward", 2)) == {
        (0,): (128.0, 64.0), (1,): (32.0,), (2,): (16.0, 8.0, 4.0, 2.0, 1.0)
    }  # fmt: skip


@pytest.mark.parametrize("cell", ["SimpleRNN", "GRU", "LSTM"])
def test_gradients_with_probes_are_those_without_bit_for_bit(cell: str) -> None:
    same_gradients(make_case("map_fn_keras_rnn", ["x=None,None,None,10"], ["x=3,5,7,10"], [f"cell={cell}"]))


@pytest.mark.parametrize("program", ["ragged", "three", "called"])
def test_so_are_those_of_other_loops(program: str) -> None:
    same_gradients(Case(str(PROGRAMS), options=(("program", program),)))


def same_gradients(case: Case) -> None:
    import numpy as np

    from explorer.engine import again, targets
    from explorer.engine.inputs import arrays
    from explorer.engine.loop_probe import LoopProbe

    file, text = targets.locate(case)
    program = targets.load(case, file, text)
    given = arrays(program.inputs, program.values, 0)
    plain = again.in_graph(program, given, case).gradient_values
    for probe in (LoopProbe(), LoopProbe(health=False, ops=("Tanh",)), LoopProbe(in_place=True)):
        program = targets.load(case, file, text)
        with probe.watching():
            found = again.in_graph(program, given, case, backward=probe.differentiating)
        assert list(probe.records())
        assert len(found.gradient_values) == len(plain) > 0
        assert all(np.array_equal(a, b) for a, b in zip(plain, found.gradient_values, strict=True))


def test_a_probed_run_that_fails_is_a_note_and_leaves_the_verdict(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "once.py"
    file.write_text(
        "import os\nimport tensorflow as tf\n\n\ndef build():\n"
        "    if os.environ.setdefault('EXPLORER_BUILT', '0') == '1':\n        raise RuntimeError('not twice')\n"
        "    os.environ['EXPLORER_BUILT'] = '1'\n"
        "    fn = lambda x: tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, h * 2.0), (0, x))[1]\n"
        "    return {'fn': fn, 'inputs': [([], 'float32')], 'values': [1.0], 'variables': []}\n"
    )
    found = run(engine, Case(str(file), way="graph", device="cpu", probe=True))
    assert [(m.measured, m.norm) for m in found.run.measurements] == [("finite", 8.0)]
    assert found.probes == ()
    assert [note for note in found.notes if "watches the iterations" in note and "not twice" in note]
    assert list(found.trips.values()) == [(3,)]


def test_another_gradient_in_the_probed_run_is_told(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "drawn.py"
    file.write_text(
        "import time\nimport tensorflow as tf\n\n\ndef build():\n    k = float(time.time_ns() % 1000003)\n"
        "    fn = lambda x: tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, h * k), (0, x))[1]\n"
        "    return {'fn': fn, 'inputs': [([], 'float32')], 'values': [1.0], 'variables': []}\n"
    )
    found = run(engine, Case(str(file), way="graph", device="cpu", probe=True))
    assert [note for note in found.notes if "another gradient" in note]


@pytest.mark.parametrize("program", ["doubling", "ragged", "three", "swap", "early", "reset"])
def test_frames_of_tf1_are_the_loops_of_the_graph(engine: Engine, program: str) -> None:
    frames, graph = probed(engine, program, way="tf1"), probed(engine, program)
    assert frames.notes == ()
    assert list(frames.trips.values()) == list(graph.trips.values())
    assert [(p.name, p.direction) for p in frames.probes] == [(p.name, p.direction) for p in graph.probes]
    for one, other in zip(frames.probes, graph.probes, strict=True):
        if (program, one.direction) == ("reset", "backward"):
            continue  # a frame's body is not asked for what it does not hand on
        assert norms(one) == {outer: pytest.approx(run) for outer, run in norms(other).items()}
        assert [run.start for run in one.runs] == pytest.approx([run.start for run in other.runs])
        assert [run.health and run.health.zeros for run in one.runs] == [
            run.health and run.health.zeros for run in other.runs
        ]


@pytest.mark.parametrize("cell", ["SimpleRNN", "GRU", "LSTM"])
def test_a_dynamic_rnn_in_map_fn_is_the_python_loop_on_the_same_weights(engine: Engine, cell: str) -> None:
    check_against_truth(engine, "tf1_map_fn_dynamic_rnn", cell)


def test_what_each_iteration_keeps_is_counted_and_weighed(engine: Engine) -> None:
    """The inner loop keeps h, tanh(...) and the weights it has read: 2 + 2 + 4 floats."""
    inner = next(cost for cost in probed(engine, "ragged").costs if cost.loop.count("/") == 1)
    assert (inner.stored, inner.stored_bytes) == (3, 32)
