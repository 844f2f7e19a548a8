"""The strategies that TensorFlow 2 traces into a graph: maps, scans and loops written by hand."""

from __future__ import annotations

from explorer.strategies.options import (
    BIDIRECTIONAL,
    BOUND,
    CELL,
    DTYPE,
    KERAS_DTYPE,
    LAYERS,
    LENGTHS,
    PARALLEL,
    SCALE,
    SEQUENCES,
    UNITS,
)
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
        options=(CELL, UNITS, SCALE, KERAS_DTYPE, PARALLEL, LAYERS, BIDIRECTIONAL, SEQUENCES, LENGTHS),
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
        options=(CELL, UNITS, SCALE, DTYPE, PARALLEL, LENGTHS, BOUND),
        when="The loop carries something that no ready-made API carries, or stops on a condition of its own.",
        pitfalls=(
            "Slicing a tensor with the loop counter instead of reading a TensorArray makes the backward pass add up "
            "whole tensors of zeros.",
            "A carried value whose static shape changes between iterations needs shape_invariants.",
            "TensorArray.write returns the array to carry on with; dropping its result drops the gradient.",
        ),
    ),
    Strategy(
        key="autograph_for",
        title="AutoGraph for over tf.range",
        family="TF2 graph",
        summary="Two Python for loops over tf.range, which tf.function rewrites into two nested tf.while_loop. What is "
        "assigned in a loop and used after it becomes a loop variable; results are collected in a TensorArray.",
        file="autograph_for.py",
        way="graph",
        options=(CELL, UNITS, SCALE, DTYPE, PARALLEL, LENGTHS, BOUND),
        when="The loop reads best as plain Python, and its length is known only at run time.",
        pitfalls=(
            "A for over Python's range() is written out while tracing instead, and fails for a dimension None.",
            "Appending to a Python list inside the loop leaks a tensor of the body; use a TensorArray.",
            "A loop variable keeps its type and shape; one that grows needs set_loop_options(shape_invariants=...).",
        ),
    ),
    Strategy(
        key="autograph_while_break",
        title="AutoGraph while with break",
        family="TF2 graph",
        summary="Two Python while loops, which tf.function rewrites into nested tf.while_loop. The inner one may end "
        "early: its break becomes a bool that the loop carries.",
        file="autograph_while_break.py",
        way="graph",
        options=(CELL, UNITS, SCALE, DTYPE, PARALLEL, LENGTHS, BOUND),
        when="The loop stops on a condition of its own, such as a state that no longer changes.",
        pitfalls=(
            "How many steps are taken has no gradient: what is only asked for in the condition is not trained.",
            "The condition of a break over a whole batch ends the loop for all of it.",
            "Where both sides of the condition are Python numbers, the loop is written out while tracing instead.",
        ),
    ),
    Strategy(
        key="scan",
        title="scan over time inside map_fn",
        family="TF2 graph",
        summary="tf.scan carries the cell's state over time and returns it after every step; tf.map_fn walks over the "
        "outer dimension. Both become While ops.",
        file="scan.py",
        way="graph",
        options=(CELL, UNITS, SCALE, DTYPE, PARALLEL),
        when="Every step's state is wanted, as for attention over past steps.",
        pitfalls=(
            "The state must keep its structure, types and shapes from step to step.",
            "It runs along the first dimension: transpose a batch-major input first.",
            "Every step's output is stacked, also where only the last is used: foldl keeps the last.",
        ),
    ),
    Strategy(
        key="foldl",
        title="foldl over time inside map_fn",
        family="TF2 graph",
        summary="tf.foldl carries the cell's state over time and returns the last one; tf.map_fn walks over the outer "
        "dimension. Both become While ops.",
        file="foldl.py",
        way="graph",
        options=(CELL, UNITS, SCALE, DTYPE, PARALLEL),
        when="Only the last state is wanted, and the step is one's own function.",
        pitfalls=(
            "back_prop=False puts a stop_gradient behind the loop; leave it out.",
            "It runs along the first dimension: transpose a batch-major input first.",
            "The backward pass keeps what it needs of every step, so memory still grows with time.",
        ),
    ),
    Strategy(
        key="keras_ops_while_loop",
        title="Nested keras.ops.while_loop",
        family="TF2 graph",
        summary="keras.ops.while_loop inside keras.ops.while_loop, with a Keras cell. On TensorFlow both become While "
        "ops; elements are read with an index and written with scatter_update, for want of a TensorArray.",
        file="keras_ops_while_loop.py",
        way="graph",
        options=(CELL, UNITS, SCALE, DTYPE),
        when="The code has to run on other Keras backends too, and no scan fits.",
        pitfalls=(
            "Reading x[i] in a loop makes the backward pass add up whole tensors of zeros.",
            "keras.ops.slice_update has no gradient on TensorFlow 2.21 (LookupError); use scatter_update.",
            "On JAX a while_loop has no reverse-mode gradient; keras.ops.scan has.",
        ),
    ),
    Strategy(
        key="keras_ops_scan",
        title="keras.ops.scan inside keras.ops.map",
        family="TF2 graph",
        summary="keras.ops.scan carries a Keras cell's state over time, keras.ops.map walks over the outer dimension. "
        "On TensorFlow both become While ops, and map calls its function once more outside, to learn the shape.",
        file="keras_ops_scan.py",
        way="graph",
        options=(CELL, UNITS, SCALE, DTYPE),
        when="The code has to run on other Keras backends too.",
        pitfalls=(
            "map calls its function once more than there are elements: an assign_add in it counts 4 for 3 elements.",
            "The function has to return outputs of the structure, types and shapes of the state.",
            "An empty outer dimension fails, because the first element is read to learn the shape.",
        ),
    ),
)
