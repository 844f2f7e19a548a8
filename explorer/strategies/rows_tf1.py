"""The strategies of a TF1 graph and session, with control flow v1."""

from __future__ import annotations

from explorer.strategies.strategy import Strategy

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
    ),
)
