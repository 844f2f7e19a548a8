"""What the user chose: a target, the shapes of its inputs, and how to run it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Shape = tuple[int | None, ...]
Way = Literal["eager", "graph", "xla", "tf1"]
Device = Literal["auto", "cpu", "gpu"]
OptionValue = str | int | float | bool

WAYS: tuple[Way, ...] = ("eager", "graph", "xla", "tf1")


@dataclass(frozen=True)
class InputSpec:
    """One input of the traced function.

    ``shape`` is the signature (``None`` marks a dimension left open), ``size`` the concrete sizes used for the run.
    ``None`` for either means: as the target says, else chosen for the user.
    """

    name: str
    shape: Shape | None
    dtype: str = "float32"
    size: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Case:
    """Everything one exploration depends on; equal cases give equal explorations on one machine.

    ``timeout`` is in seconds, ``memory`` in MB. ``breaker`` is ``KEY`` or ``KEY@LOOP``. ``way`` ``None`` means the
    way the target was made for. ``speed_only``: plain TensorFlow, timed; nothing is captured or predicted.
    ``probe``: watch every iteration of every loop; ``probe_ops`` names tensors of bodies to watch as well.
    """

    target: str
    inputs: tuple[InputSpec, ...] = ()
    options: tuple[tuple[str, OptionValue], ...] = ()
    breaker: str | None = None
    wrt: tuple[str, ...] = ()
    loss: str | None = None
    device: Device = "auto"
    seed: int = 0
    timeout: float = 120.0
    memory: int = 8192
    way: Way | None = None
    static_only: bool = False
    second_order: bool = False
    check_numbers: bool = False
    speed_only: bool = False
    probe: bool = False
    probe_ops: tuple[str, ...] = ()


class BadInput(ValueError):
    """The user asked for something that cannot be done; ``str()`` is one sentence: what is wrong, what to write."""
