"""The explorer from Python, in this process and in one of its own."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from explorer import BadInput, assert_gradients_flow, compare, explore
from explorer.model.verdict import Exploration

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(300)]

tf = pytest.importorskip("tensorflow")

WEIGHT = tf.Variable(np.ones((4, 4), "float32"), name="weight")


def rows(x):
    return tf.reduce_sum(tf.map_fn(lambda row: tf.tanh(row @ WEIGHT), x) ** 2)


def rounded(x):
    def body(i, h):
        h = tf.cast(tf.cast(10.0 * h, tf.int32), tf.float32)  # the line to blame
        return i + 1, h @ WEIGHT

    return tf.reduce_sum(tf.while_loop(lambda i, h: i < 3, body, (0, x))[1])


BLAMED = rounded.__code__.co_firstlineno + 2


def test_importing_loads_neither_tensorflow_nor_streamlit():
    asked = "import sys, explorer; print({'tensorflow', 'streamlit', 'keras'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.parametrize("way", ["graph", "eager"])
def test_a_function_is_explored_where_it_lives(way):
    found = explore(rows, {"x": (None, 2, 4)}, {"x": (3, 2, 4)}, way=way)
    assert isinstance(found, Exploration)
    assert found.outcome == "done", found.failure
    assert {c.source: c.status for c in found.conclusions} == {"x": "flows", "weight": "flows"}
    assert [loop.api for loop in found.snapshot.loops] == ["map_fn"]
    assert list(found.trips.values()) == [(3,)]
    assert "all 2 sources" in repr(found)
    assert "<svg" in found._repr_html_()


def test_iterations_are_watched_where_the_function_lives():
    def doubled(x):
        return tf.reduce_sum(tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, 2.0 * h), (0, x))[1])

    found = explore(doubled, {"x": (1,)}, probe=True)
    (gradient,) = (p for p in found.probes if p.direction == "backward")
    assert gradient.runs[0].norms == (4.0, 2.0, 1.0)
    assert "gradient of h" in found._repr_html_()


def test_a_function_in_a_process_of_its_own_gives_the_same():
    here, apart = (explore(rows, {"x": (None, 2, 4)}, {"x": (3, 2, 4)}, isolated=each) for each in (False, True))
    assert [c.status for c in here.conclusions] == [c.status for c in apart.conclusions] == ["flows", "flows"]
    assert here.run.measurements == apart.run.measurements


def test_what_flows_passes_and_gives_the_exploration():
    found = assert_gradients_flow(rows, np.ones((3, 2, 4), "float32"))
    assert found.run.measurements[0].size == 24


def test_what_is_lost_fails_with_source_barrier_line_and_remedy():
    with pytest.raises(AssertionError) as caught:
        assert_gradients_flow(rounded, [tf.ones((4, 4))])
    told = str(caught.value)
    for part in ("x: zero-blocked", f"test_api.py:{BLAMED}", "Cast", "floating point", "TensorFlow answers zero"):
        assert part in told, told


def test_strict_also_refuses_an_exact_zero():
    def nothing(x):
        return tf.reduce_sum(0.0 * x)

    assert_gradients_flow(nothing, {"x": tf.ones(3)})
    with pytest.raises(AssertionError, match="x: zero"):
        assert_gradients_flow(nothing, {"x": tf.ones(3)}, strict=True)


def test_an_error_of_the_function_is_told_with_its_line():
    def wrong(x):
        return tf.reduce_sum(x @ tf.ones((7, 7)))

    with pytest.raises(AssertionError, match=r"Dimensions must be equal.*test_api\.py:\d+"):
        assert_gradients_flow(wrong, tf.ones((3, 4)))


def test_variables_that_are_given_are_asked_even_where_they_are_not_read():
    aside = tf.Variable(1.0, name="aside")
    found = explore(rows, {"x": tf.ones((3, 2, 4))}, variables=[WEIGHT, aside])
    assert {c.source: c.status for c in found.conclusions}["aside"] == "none-disconnected"


def test_a_strategy_by_name():
    found = explore("nested_while_loop", {"x": (None, None, None, 10)}, {"x": (2, 2, 3, 10)}, breaker="round@inner")
    assert "cut at Round" in repr(found)


def test_strategies_are_compared():
    found = compare(["nested_while_loop", "folded_batch"], {"x": (None, None, None, 10)}, {"x": (2, 2, 3, 10)})
    assert [row.strategy for row in found.rows] == ["nested_while_loop", "folded_batch"]
    assert all(row.agrees for row in found.rows)
    assert "2 strategies" in repr(found)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (lambda: explore("no_such"), "no_such"),
        (lambda: explore(rows, {"x": "wide"}), "no shape and no array"),
        (lambda: explore(rows, {"x": (None, 2, 4)}, {"y": (3,)}), "no input 'y'"),
        (lambda: explore(rows, {"x": (None, 2, 4)}, way="tf1"), "isolated=True"),
        (lambda: explore(lambda x: x, {"x": (None, 2)}, isolated=True), "top of a file"),
        (lambda: explore(rows, {"x": tf.ones((3, 2, 4))}, isolated=True), "give shapes"),
        (lambda: explore(rows, {"x": (None, 2, 4)}, {"x": (3, 9, 4)}), "9"),
        (lambda: assert_gradients_flow("nested_while_loop", tf.ones(3)), "as a dict"),
    ],
)
def test_bad_input_is_one_sentence(asked, told):
    with pytest.raises(BadInput, match=told) as caught:
        asked()
    assert "\n" not in str(caught.value)
