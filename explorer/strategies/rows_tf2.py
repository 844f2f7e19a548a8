"""The strategies that TensorFlow 2 traces into a graph: maps, scans and loops written by hand."""

from __future__ import annotations

from explorer.strategies.options import CELL, DTYPE, PARALLEL, SCALE, UNITS
from explorer.strategies.strategy import Strategy

TF2: tuple[Strategy, ...] = (
    Strategy(
        key="map_fn_keras_rnn",
        title="map_fn over a Keras RNN",
        family="TF2 graph",
        summary="tf.map_fn walks over the outer dimension and calls one keras.layers.RNN on each element. Both become "
        "While ops, the RNN's inside the body of the map's. Shortest to write; the layer makes the zero state, the "
        "TensorArrays and the time-major transpose.",
        file="map_fn_keras_rnn.py",
        way="graph",
        options=(CELL, UNITS, SCALE, DTYPE, PARALLEL),
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
        options=(CELL, UNITS, SCALE, DTYPE, PARALLEL),
        when="The loop carries something that no ready-made API carries, or stops on a condition of its own.",
        pitfalls=(
            "Slicing a tensor with the loop counter instead of reading a TensorArray makes the backward pass add up "
            "whole tensors of zeros.",
            "A carried value whose static shape changes between iterations needs shape_invariants.",
            "TensorArray.write returns the array to carry on with; dropping its result drops the gradient.",
        ),
    ),
)
