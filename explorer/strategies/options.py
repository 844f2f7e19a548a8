"""What can be chosen about a sample model beside its shape: one row per option."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from explorer.model.case import BadInput, OptionValue
from explorer.strategies.wording import shown, unknown

Kind = Literal["choice", "integer"]

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
    least: int | None = None
    most: int | None = None

    def read(self, text: str, owner: str) -> OptionValue:
        """The value that ``text`` stands for; refuses what this option does not take."""
        if self.kind == "choice":
            if text not in self.choices:
                raise unknown(f"value of option {self.key}", text, self.choices, owner)
            return text
        if not INTEGER.fullmatch(text):
            raise BadInput(
                f"Option {shown(f'{self.key}={text}')} is not a whole number: write for example {self.example}."
            )
        value = int(text)
        if self.least is not None and value < self.least:
            raise BadInput(f"Option {self.key}={text} is too small: write {self.least} or more, as in {self.example}.")
        if self.most is not None and value > self.most:
            raise BadInput(f"Option {self.key}={text} is too large: write {self.most} or less, as in {self.example}.")
        return value

    @property
    def example(self) -> str:
        """The option as one would write it."""
        return f"{self.key}={self.default}"


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
