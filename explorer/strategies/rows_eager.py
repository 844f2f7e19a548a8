"""The strategies that run op by op."""

from __future__ import annotations

from explorer.strategies.options import BIDIRECTIONAL, CELL, KERAS_DTYPE, LAYERS, LENGTHS, SCALE, SEQUENCES, UNITS
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
        options=(CELL, UNITS, SCALE, KERAS_DTYPE, LAYERS, BIDIRECTIONAL, SEQUENCES, LENGTHS),
    ),
    Strategy(
        key="fresh_layer_per_element",
        title="A new layer for each element (a mistake)",
        family="Eager",
        summary="A Python for over the elements that makes a new Keras RNN for each of them. It runs in eager mode "
        "without a word, and each element of each call has weights of its own: none is shared, none is trained. The "
        "weights shown are those of the first element's layer.",
        file="fresh_layer_per_element.py",
        way="eager",
        when="To see what a layer made in the wrong place does; make it once, before the loop, in a model of your own.",
        pitfalls=(
            "The loss and the gradient of x are right, and the first layer's weights get the share of the first "
            "element only: with three elements, a kernel gradient 0.58 times as long as the shared one's.",
            "In the next call those weights get None: that call made others.",
            "Under tf.function it raises: with x.shape[0] known, because a variable is made once more; with None, "
            "because the Python loop cannot be unrolled.",
        ),
        places=("inner", "outer", "tape"),
        comparable=False,
    ),
)
