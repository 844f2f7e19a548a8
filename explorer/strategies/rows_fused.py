"""The strategies that leave one loop or none, or hand the loops to a compiler."""

from __future__ import annotations

from explorer.strategies.options import (
    BIDIRECTIONAL,
    CELL,
    DTYPE,
    KERAS_DTYPE,
    LAYERS,
    LENGTHS,
    PARALLEL,
    SCALE,
    SEQUENCES,
    UNITS,
    UNROLL,
)
from explorer.strategies.strategy import Strategy

FUSED: tuple[Strategy, ...] = (
    Strategy(
        key="folded_batch",
        title="Outer dimension folded into the batch",
        family="Fused",
        summary="One reshape makes the outer dimension part of the batch, and one Keras RNN walks over time for all of "
        "it at once: one While op instead of two.",
        file="folded_batch.py",
        way="graph",
        options=(CELL, UNITS, SCALE, KERAS_DTYPE, LAYERS, BIDIRECTIONAL, SEQUENCES, LENGTHS, UNROLL),
        places=("inner", "weights", "tape"),
        when="The elements of the outer dimension do not depend on each other. Try this before any nested loop: for 16 "
        "sequences of 32 steps, forward and backward took 29 ms on a CPU where the nested loops took 190 to 390 ms.",
        pitfalls=(
            "A Keras layer with stateful=True, or one that normalises over the batch, sees another batch than before.",
            "All elements are in memory at once, where a map can hold some of them back.",
        ),
    ),
    Strategy(
        key="time_distributed",
        title="TimeDistributed around a Keras RNN",
        family="Fused",
        summary="keras.layers.TimeDistributed calls one Keras RNN on each slice along axis 1. The axis has a size, so "
        "the calls are written out: one While op over time for each slice, side by side, and no outer loop.",
        file="time_distributed.py",
        way="graph",
        options=(CELL, UNITS, SCALE, KERAS_DTYPE, LAYERS, SEQUENCES, UNROLL),
        sized=("outer", "features"),
        shape=(3, None, None, 10),
        when="A Keras model applies one layer to a short dimension of known size.",
        pitfalls=(
            "Without a size for that axis Keras uses a vectorized map, and building the gradient raises "
            '"Cannot convert a partially known TensorShape <unknown> to a Tensor".',
            "The graph grows with the axis: one copy of the loop for each slice.",
            "It applies along axis 1, whatever the axis means; transpose first where another one is meant.",
        ),
    ),
    Strategy(
        key="unrolled",
        title="map_fn over an unrolled Keras RNN",
        family="Fused",
        summary="keras.layers.RNN with unroll=True writes the steps over time out, one after the other, inside the "
        "body of tf.map_fn. The map is the only While op left.",
        file="unrolled.py",
        way="graph",
        options=(CELL, UNITS, SCALE, DTYPE, PARALLEL),
        sized=("time", "features"),
        shape=(None, None, 7, 10),
        when="Sequences are short and all of one length.",
        pitfalls=(
            "Time must have a size: Keras raises while tracing where it is None.",
            "The graph, and the time to trace it, grow with the number of steps: 32 of an LSTM took 27 s to the first "
            "gradient, where a loop took 5 s.",
            "A cut inside the cell is there once for each step.",
        ),
    ),
    Strategy(
        key="custom_cell",
        title="map_fn over an own cell, stepped by hand",
        family="Fused",
        summary="An own keras.Layer holds the weights and computes one step; a Python loop inside tf.map_fn calls it "
        "for each step of a time that has a size. The map is the only While op left.",
        file="custom_cell.py",
        way="graph",
        options=(CELL, UNITS, SCALE, DTYPE, PARALLEL),
        sized=("time", "features"),
        shape=(None, None, 7, 10),
        when="The cell is one's own and sequences are short; wrap it into keras.layers.RNN when they get long.",
        pitfalls=(
            "A state kept on self leaks a tensor of the map's body (InaccessibleTensorError): pass it and return it.",
            "range() over a time that is None raises a TypeError while tracing.",
            "The graph, and the time to trace it, grow with the number of steps.",
        ),
    ),
    Strategy(
        key="vectorized_map",
        title="vectorized_map over written-out steps",
        family="Fused",
        summary="tf.vectorized_map traces the function of one element and turns each op into one op for all elements; "
        "the steps over time are a Python loop. No loop is left in the graph.",
        file="vectorized_map.py",
        way="graph",
        options=(CELL, UNITS, SCALE, DTYPE),
        sized=("time", "features"),
        shape=(None, None, 7, 10),
        when="The body of the map is made of ops that have a vectorized form, and contains no loop.",
        pitfalls=(
            "A loop inside that multiplies by a weight, as a Keras RNN does, runs forward, but building its gradient "
            "raises 'Cannot convert a partially known TensorShape <unknown> to a Tensor' in TensorFlow 2.21: as it "
            "does here where time is None.",
            "Where the outer dimension is None, the gradient of the input comes as tf.IndexedSlices.",
            "All elements are in memory at once.",
        ),
    ),
    Strategy(
        key="xla_nested_while_loop",
        title="Nested while_loop compiled by XLA",
        family="Fused",
        summary="Two nested tf.while_loop inside tf.function(jit_compile=True), both with maximum_iterations, over an "
        "input of static shape. XLA compiles forward and backward loops into one program.",
        file="xla_nested_while_loop.py",
        way="xla",
        options=(CELL, UNITS, SCALE, DTYPE),
        sized=("outer", "batch", "time", "features"),
        shape=(3, 5, 7, 10),
        when="Shapes never change, and the many small ops of a cell cost more to start than to compute.",
        pitfalls=(
            "Without maximum_iterations the gradient of a loop cannot be compiled.",
            "A new shape is a new compilation.",
            "A tape outside the compiled function raises UnimplementedError: put the whole gradient inside.",
        ),
    ),
)
