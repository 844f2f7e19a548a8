"""What every TF1 graph and session here begins with."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from explorer.engine.sources import LiveSource, live_inputs
from explorer.engine.targets import Program

v1 = tf.compat.v1


def placeholders(program: Program) -> list[LiveSource]:
    """The program's inputs, in the current graph."""
    tensors = [v1.placeholder(s.dtype, None if s.shape is None else list(s.shape), name=s.name) for s in program.inputs]
    return live_inputs(program, tensors, taped=False)


def initialise(session: Any) -> None:
    """Give every variable and table its first value."""
    session.run([v1.global_variables_initializer(), v1.local_variables_initializer(), v1.tables_initializer()])
