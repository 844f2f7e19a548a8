"""What can be chosen about a sample model beside its shape: one row per option."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from explorer.model.case import BadInput, OptionValue
from explorer.strategies.wording import shown, unknown

Kind = Literal["choice", "integer", "number", "flag"]

# Python refuses to read numbers of thousands of digits; eighteen always fit into int64.
INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
NUMBER = re.compile(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][+-]?[0-9]+)?")
FLAGS = {"true": True, "false": False}


@dataclass(frozen=True)
class Option:
    """One thing to choose; ``key`` is the keyword that the sample's ``build()`` takes."""

    key: str
    title: str
    kind: Kind
    default: OptionValue
    help: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None

    def read(self, text: str, owner: str) -> OptionValue:
        """The value that ``text`` stands for; refuses what this option does not take."""
        if self.kind == "choice":
            if text not in self.choices:
                raise unknown(f"value of option {self.key}", text, self.choices, owner)
            return text
        if self.kind == "flag":
            if text.lower() not in FLAGS:
                raise unknown(f"value of option {self.key}", text, tuple(FLAGS), owner)
            return FLAGS[text.lower()]
        return self._number(text)

    def _number(self, text: str) -> OptionValue:
        whole = self.kind == "integer"
        if not (INTEGER if whole else NUMBER).fullmatch(text):
            kind = "whole number" if whole else "number"
            raise BadInput(f"Option {shown(f'{self.key}={text}')} is not a {kind}: write for example {self.example}.")
        value = int(text) if whole else float(text)
        if self.least is not None and value < self.least:
            raise BadInput(f"Option {self.key}={text} is too small: write {self.least} or more, as in {self.example}.")
        if self.most is not None and value > self.most:
            raise BadInput(f"Option {self.key}={text} is too large: write {self.most} or less, as in {self.example}.")
        return value

    @property
    def example(self) -> str:
        """The option as one would write it."""
        return f"{self.key}={value_text(self.default)}"


CELL = Option(
    key="cell",
    title="Cell",
    kind="choice",
    default="LSTM",
    choices=("SimpleRNN", "GRU", "LSTM"),
    help="The recurrent cell run at each step of time, with Keras' weights and gate order (GRU with reset_after).",
)
UNITS = Option(
    key="units",
    title="Units",
    kind="integer",
    default=8,
    least=1,
    most=4096,
    help="Length of the cell's state, and of the output that the readout matrix multiplies.",
)
DTYPE = Option(
    key="dtype",
    title="Type",
    kind="choice",
    default="float32",
    choices=("float32", "float64"),
    help="The floating-point type of input and weights.",
)
KERAS_DTYPE = replace(
    DTYPE,
    choices=(*DTYPE.choices, "mixed_float16"),
    help="The floating-point type of input and weights; mixed_float16 is Keras' policy: they stay float32, and the "
    "layers compute in float16.",
)
SCALE = Option(
    key="scale",
    title="Recurrent scale",
    kind="number",
    default=1.0,
    least=0.0,
    most=100.0,
    help="Factor on the recurrent weights: small ones let the gradient vanish over time, large ones let it explode.",
)
PARALLEL = Option(
    key="parallel_iterations",
    title="Parallel iterations",
    kind="integer",
    default=10,
    least=1,
    most=1024,
    help="How many iterations of the outer loop TensorFlow may run at the same time.",
)
SWAP = Option(
    key="swap_memory",
    title="Swap memory",
    kind="flag",
    default=False,
    help="Let TensorFlow move what the backward pass needs from the GPU to the host.",
)
LAYERS = Option(
    key="layers",
    title="Layers",
    kind="integer",
    default=1,
    least=1,
    most=16,
    help="Recurrent layers on top of each other, each with weights of its own.",
)
BIDIRECTIONAL = Option(
    key="bidirectional",
    title="Bidirectional",
    kind="flag",
    default=False,
    help="Walk over time backwards as well, with the same weights, and add the two results: one more loop.",
)
SEQUENCES = Option(
    key="return_sequences",
    title="Return sequences",
    kind="flag",
    default=False,
    help="Read out the output of every step of time, not of the last one only.",
)
LENGTHS = Option(
    key="lengths",
    title="Lengths",
    kind="choice",
    default="full",
    choices=("full", "ragged"),
    help="ragged: the sequences of a batch are time, time - 1, ... steps long. What lies behind the end of a sequence "
    "leaves the state as it is, and the input's gradient there is exactly zero.",
)
BOUND = Option(
    key="maximum_iterations",
    title="Maximum iterations",
    kind="integer",
    default=0,
    least=0,
    most=10**6,
    help="A bound on the iterations of both loops, which XLA needs for their backward pass; 0 means none.",
)
UNROLL = Option(
    key="unroll",
    title="Unroll",
    kind="flag",
    default=False,
    help="Write the steps of time out, one after the other, where TensorFlow would make a loop; time needs a size.",
)


def read_free(text: str) -> OptionValue:
    """The value of an option of the user's own ``build()``, about which nothing is known: by its looks."""
    if text.lower() in FLAGS:
        return FLAGS[text.lower()]
    if INTEGER.fullmatch(text):
        return int(text)
    if NUMBER.fullmatch(text) and abs(float(text)) != float("inf"):
        return float(text)
    return text


def value_text(value: OptionValue) -> str:
    """An option's value as one would write it; ``read_free`` reads it back."""
    return str(value).lower() if isinstance(value, bool) else str(value)
