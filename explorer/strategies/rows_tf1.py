"""The strategies of a TF1 graph and session, with control flow v1."""

from __future__ import annotations

from explorer.strategies.options import BOUND, CELL, DTYPE, LAYERS, LENGTHS, PARALLEL, SCALE, SWAP, UNITS
from explorer.strategies.strategy import IN_GRAPH, Strategy

_OPTIONS = (CELL, UNITS, SCALE, DTYPE, PARALLEL)

TF1: tuple[Strategy, ...] = (
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
        options=(*_OPTIONS, LAYERS, LENGTHS),
        places=IN_GRAPH,
    ),
    Strategy(
        key="tf1_swap_memory",
        title="map_fn over dynamic_rnn, swap_memory",
        family="TF1 graph",
        summary="The same two loops with swap_memory=True in both: while the values that the backward loops need wait "
        "on their stacks, TensorFlow may move them from the memory of a GPU to that of the host.",
        file="tf1_swap_memory.py",
        way="tf1",
        when="Long sequences in a TF1 model on a GPU whose memory does not hold all steps of the forward pass.",
        pitfalls=(
            "On a CPU it buys nothing: measured on two cores, the graph has the same ops, the gradients are equal bit "
            "for bit, and peak memory and time are the same within the noise.",
            "It changes nothing about which gradient flows: a None stays a None.",
            "Second-order gradients through these loops raise an error.",
        ),
        options=_OPTIONS,
        places=IN_GRAPH,
    ),
    Strategy(
        key="tf1_static_hints",
        title="map_fn over dynamic_rnn, shape hints",
        family="TF1 graph",
        summary="The same two loops with set_shape inside the mapped function and after the map: the placeholder "
        "leaves its dimensions open, and the graph is built with the sizes that the hints tell.",
        file="tf1_static_hints.py",
        way="tf1",
        when="Sizes are known but not said by the placeholder, or a layer behind the map asks for a static shape.",
        pitfalls=(
            "A hint is believed: fed with other sizes, the graph fails when run, and the error names a TensorArray or "
            "an op of the backward pass, not the hint.",
            "The gradients are equal bit for bit to those without hints. The graph with its gradients is smaller, 612 "
            "ops against 763 for an LSTM, as sizes become constants.",
            "set_shape changes the tensor in place and returns None; it is no reshape.",
        ),
        options=_OPTIONS,
        places=IN_GRAPH,
    ),
    Strategy(
        key="tf1_bidirectional",
        title="map_fn over bidirectional_dynamic_rnn",
        family="TF1 graph",
        summary="tf.compat.v1.map_fn over bidirectional_dynamic_rnn with sequence_length: in the loop of the map, one "
        "loop walks forwards in time and one backwards, between two reverse_sequence ops. The outputs at the ends are "
        "added, so that it computes another function than the one-way models.",
        file="tf1_bidirectional.py",
        way="tf1",
        when="A TF1 model reads each sequence in both directions, and its sequences differ in length.",
        pitfalls=(
            "sequence_length is an integer: no gradient comes back through it, and none is missing.",
            "Beyond its length a sequence's outputs are zero, so that outputs[:, -1] of a short one is zero and gives "
            "no gradient: take the final state, or gather the last valid step.",
            "Second-order gradients through these loops raise an error.",
        ),
        options=(*_OPTIONS, LENGTHS),
        places=IN_GRAPH,
        comparable=False,
    ),
    Strategy(
        key="tf1_keras_rnn",
        title="map_fn over a Keras RNN in a session",
        family="TF1 graph",
        summary="tf.compat.v1.map_fn over a keras.layers.RNN, in a graph and session with control flow v1: the loop "
        "inside the layer becomes a frame like that of dynamic_rnn.",
        file="tf1_keras_rnn.py",
        way="tf1",
        when="A TF1 graph is to use the layers that the ported model will have.",
        pitfalls=(
            "With return_sequences=False it builds, and fails when run: Keras writes index 0 of a TensorArray at each "
            "step, and control flow v1 allows one write per index.",
            'After disable_v2_behavior() Keras cannot read an open dimension ("Cannot convert unknown Dimension"): '
            "call tf.compat.v1.enable_v2_tensorshape().",
            "Keras calls the cell once more before its loop, to learn the output's type: those ops lead nowhere.",
        ),
        options=_OPTIONS,
        places=IN_GRAPH,
    ),
    Strategy(
        key="tf1_nested_while_loop",
        title="Nested while_loop by hand, TF1",
        family="TF1 graph",
        summary="Two tf.compat.v1.while_loop written by hand with TensorArrays, under control flow v1: each carried "
        "value has Enter, Merge, Switch, NextIteration and Exit ops of its own, to be seen in the graph.",
        file="tf1_nested_while_loop.py",
        way="tf1",
        when="The loop of a TF1 model carries something that neither map_fn nor dynamic_rnn carries.",
        pitfalls=(
            "A TensorArray may be written once per index and, unless clear_after_read=False, read once per index.",
            "tf.gradients called inside a loop body sees loop variables as fresh symbols and gives None.",
            "Second-order gradients through these loops raise an error.",
        ),
        options=(*_OPTIONS, SWAP, BOUND),
        places=IN_GRAPH,
    ),
)
