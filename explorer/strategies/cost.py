"""Refuse, before anything is started, what cannot fit into memory."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from explorer.model.case import BadInput, InputSpec, OptionValue
from explorer.strategies.shapes import DTYPES

GATES = {"SimpleRNN": 1, "GRU": 3, "LSTM": 4}
MULTIPLES = ("MB", "GB", "TB", "PB", "EB")


def refuse_too_large(specs: Iterable[InputSpec], more: int, memory: int) -> None:
    """Refuse inputs that need more than ``memory`` MB; ``more`` bytes are needed beside them."""
    for spec in specs:
        dims = spec.size if spec.size is not None else tuple(dim or 1 for dim in spec.shape or ())
        elements = prod(dims)
        # The value and its gradient: at least twice the input has to be there at the same time.
        needed = (2 * elements * DTYPES[spec.dtype] + more) / 1e6
        if needed > memory:
            raise BadInput(
                f"With size {','.join(map(str, dims))}, {spec.name} has {elements:,} elements and the run needs at "
                f"least {_amount(needed)}, more than the limit of {_amount(memory)}: choose smaller sizes or raise "
                f"--memory."
            )


def sample_bytes(size: tuple[int, ...], options: dict[str, OptionValue]) -> int:
    """The least a sample model needs beside its input: weights with gradients, and each step's gates kept for later."""
    outer, batch, time, features = size
    units = int(options["units"])
    wide = GATES[str(options["cell"])] * units
    return 4 * (2 * (features + units + 2) * wide + outer * batch * time * wide)


def _amount(megabytes: float) -> str:
    for unit in MULTIPLES:
        if megabytes < 10000 or unit == MULTIPLES[-1]:
            return f"{megabytes:,.0f} {unit}"
        megabytes /= 1000
    raise AssertionError("the last unit always fits")
