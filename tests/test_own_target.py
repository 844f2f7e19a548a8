"""A user's own file through the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.client import Engine
from explorer.strategies.parse import make_case

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(300)]

MODEL = """\
import keras
import tensorflow as tf

def build():
    mapped, once = keras.layers.GRU(3), keras.layers.SimpleRNN(3)
    @tf.function
    def fn(x):
        return tf.reduce_sum(tf.map_fn(mapped, x)) + tf.reduce_sum(once(x[0]))
    return {"fn": fn, "inputs": [([None, None, None, 4], "float32")], "concrete_shapes": [[2, 3, 5, 4]]}
"""


def test_trips_of_keras_loops_inside_a_function_that_was_traced_before(tmp_path: Path) -> None:
    """Its loops report only when the model is made anew, and must then be called as they were."""
    file = tmp_path / "model.py"
    file.write_text(MODEL)
    with Engine() as engine:
        found = engine.start(make_case(str(file))).wait(200)
    assert found.outcome == "done", found.failure
    loops = found.snapshot.loops
    assert [loop.api for loop in loops] == ["map_fn", "Keras RNN", "Keras RNN"]
    assert {found.snapshot.where(loop.stack).line for loop in loops} == {8}
    assert [found.trips[loop.id] for loop in loops] == [(2,), (5, 5), (5,)]


def test_a_source_may_be_named_without_its_layer_where_that_is_clear(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(MODEL)
    with Engine() as engine:
        one = engine.start(make_case("map_fn_keras_rnn", wrt=["kernel"])).wait(200)
        two = engine.start(make_case(str(file), wrt=["kernel"])).wait(200)
    assert [c.source for c in one.conclusions] == ["rnn/cell/kernel"]
    assert two.failure is not None
    assert two.failure.type == "BadInput"
    assert "2 sources" in two.failure.message


KEPT = """\
import tensorflow as tf

class Kept:
    h = None

def build():
    kept, w = Kept(), tf.Variable(0.5, name="w")
    def fn(x):
        h = x
        for _ in tf.range(3):
            h = tf.tanh(h * w)
            kept.h = h
        return tf.reduce_sum(h)
    return {"fn": fn, "inputs": [([2], "float32")], "concrete_shapes": [[2]], "variables": [w]}
"""


def test_a_count_of_iterations_that_fails_is_a_note_and_the_verdict_stands(tmp_path: Path) -> None:
    """A tensor of the loop kept in an attribute is harmless to the first trace and an error in the second."""
    file = tmp_path / "model.py"
    file.write_text(KEPT)
    with Engine() as engine:
        found = engine.start(make_case(str(file))).wait(200)
    assert found.outcome == "done", found.failure
    assert {c.status for c in found.conclusions} == {"flows"}
    assert any("counts iterations" in note for note in found.notes)
