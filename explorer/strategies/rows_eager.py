"""The strategies that run op by op."""

from __future__ import annotations

from explorer.strategies.strategy import Strategy

EAGER: tuple[Strategy, ...] = (
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
)
