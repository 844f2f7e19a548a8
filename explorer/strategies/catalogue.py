"""The ways to build the loop: one row per strategy, each running one file of sample_models/."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from explorer.model.case import Shape, Way
from explorer.strategies.breakers import BREAKERS
from explorer.strategies.options import CELL, UNITS, Option
from explorer.strategies.wording import unknown

Family = Literal["TF1 graph", "TF2 graph", "Eager", "Fused"]

INPUT = "x"
SOURCES = (INPUT, "kernel", "recurrent_kernel", "bias", "readout")


@dataclass(frozen=True)
class Strategy:
    """One way to build the loop.

    ``file`` lies in sample_models/. ``places`` name the loops a breaker can be put in. ``dims`` name the dimensions of
    the input ``x``; those in ``sized`` must have a size, because weights are made from them. ``shape`` and ``sizes``
    are what is used when the user says nothing.
    """

    key: str
    title: str
    family: Family
    summary: str
    file: str
    way: Way
    when: str
    pitfalls: tuple[str, ...]
    options: tuple[Option, ...] = (CELL, UNITS)
    places: tuple[str, ...] = ("inner", "outer")
    dims: tuple[str, ...] = ("outer", "batch", "time", "features")
    sized: tuple[str, ...] = ("features",)
    shape: Shape = (None, None, None, 10)
    sizes: tuple[int, ...] = (3, 5, 7, 10)
    dtype: str = "float32"


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        key="map_fn_keras_rnn",
        title="map_fn over a Keras RNN",
        family="TF2 graph",
        summary="tf.map_fn walks over the outer dimension and calls one keras.layers.RNN on each element. Both become "
        "While ops, the RNN's inside the body of the map's. Shortest to write; the layer makes the zero state, the "
        "TensorArrays and the time-major transpose.",
        file="map_fn_keras_rnn.py",
        way="graph",
        when="The cell is a Keras cell and the outer dimension cannot be folded into the batch.",
        pitfalls=(
            "A layer created inside the mapped function has fresh weights for every element, and none is trained.",
            "map_fn runs one element after the other where they do not overlap; folding the outer dimension into the "
            "batch is usually faster.",
            "Where a path is cut inside the loop, the graph returns zeros for the captured variables, not None.",
        ),
    ),
    Strategy(
        key="nested_while_loop",
        title="Nested while_loop by hand",
        family="TF2 graph",
        summary="Two tf.while_loop written by hand: the inner one carries the cell's state over time, the outer one a "
        "TensorArray of results. Every carried value is spelled out, so every loop variable can be seen and named.",
        file="nested_while_loop.py",
        way="graph",
        when="The loop carries something that no ready-made API carries, or stops on a condition of its own.",
        pitfalls=(
            "Slicing a tensor with the loop counter instead of reading a TensorArray makes the backward pass add up "
            "whole tensors of zeros.",
            "A carried value whose static shape changes between iterations needs shape_invariants.",
            "TensorArray.write returns the array to carry on with; dropping its result drops the gradient.",
        ),
    ),
    Strategy(
        key="python_loop_tape",
        title="Python loops with GradientTape",
        family="Eager",
        summary="A Python for inside a Python for, in eager mode, calling a Keras cell by hand. No graph is made: "
        "each iteration's ops run at once and are recorded on the tape, which is unrolled by nature.",
        file="python_loop_tape.py",
        way="eager",
        when="For debugging, and as the reference that the faster ways must agree with.",
        pitfalls=(
            "A .numpy(), float() or NumPy function on the path leaves the tape silently.",
            "Memory and time grow with the number of iterations: every intermediate result is kept.",
            "Under tf.function a Python for over range() is unrolled while tracing, and fails for a dimension None.",
        ),
    ),
    Strategy(
        key="tf1_map_fn_dynamic_rnn",
        title="map_fn over dynamic_rnn",
        family="TF1 graph",
        summary="tf.compat.v1.map_fn over tf.compat.v1.nn.dynamic_rnn in a graph and session, with control flow v1: "
        "both loops are frames of Enter, Switch, Merge, NextIteration and Exit ops in one flat graph.",
        file="tf1_map_fn_dynamic_rnn.py",
        way="tf1",
        when="A TF1 model has to be kept running or understood before it is ported.",
        pitfalls=(
            "Second-order gradients through these loops raise an error.",
            "Control flow v1 is a switch for the whole process, set before anything is built.",
            "The cells of tf.compat.v1.nn.rnn_cell need the tf_keras package; a cell written by hand does not.",
        ),
    ),
)


def find_strategy(key: str) -> Strategy | None:
    """The row with this key, None where there is none."""
    return next((row for row in STRATEGIES if row.key == key), None)


def get_strategy(key: str) -> Strategy:
    """The row with this key; refuses an unknown one."""
    strategy = find_strategy(key)
    if strategy is None:
        raise unknown("strategy", key, [row.key for row in STRATEGIES])
    return strategy


def strategies_document() -> list[dict[str, Any]]:
    """What ``python -m explorer strategies --json`` prints: plain lists, strings and numbers."""
    return [_strategy_row(strategy) for strategy in STRATEGIES]


def _strategy_row(strategy: Strategy) -> dict[str, Any]:
    row = {name: getattr(strategy, name) for name in ("key", "title", "family", "summary", "when", "file", "way")}
    lists = ("pitfalls", "dims", "shape", "sizes")
    return {
        **row,
        **{name: list(getattr(strategy, name)) for name in lists},
        "input": INPUT,
        "dtype": strategy.dtype,
        "options": [_option_row(option) for option in strategy.options],
        "breakers": [
            {
                "key": breaker.key,
                "title": breaker.title,
                "places": list(strategy.places),
                "mistake": breaker.mistake.format(h="h"),
                "instead": breaker.instead.format(h="h"),
                "cause": breaker.cause,
            }
            for breaker in BREAKERS
            if strategy.places
        ],
    }


def _option_row(option: Option) -> dict[str, Any]:
    names = ("key", "title", "kind", "default", "help", "least", "most")
    return {**{name: getattr(option, name) for name in names}, "choices": list(option.choices)}
