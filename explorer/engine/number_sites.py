"""Where numbers are made, and what was reported of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from explorer.capture import private
from explorer.capture.layers import layer_of
from explorer.capture.lines import user_stack
from explorer.model.graph import Layer, Stack
from explorer.rules.numbers import Health

# Passed through without a look: they make no number, or cannot have their output replaced.
UNWATCHED = frozenset(
    "Placeholder PlaceholderWithDefault Const Identity IdentityN ReadVariableOp Reshape ExpandDims Squeeze Transpose "
    "Fill Enter Exit Switch Merge NextIteration LoopCond RefEnter RefExit RefSwitch RefMerge RefNextIteration While "
    "StatelessWhile If StatelessIf Case StatelessCase PartitionedCall StatefulPartitionedCall RemoteCall VarHandleOp "
    "VariableV2 Variable StopGradient Pack Unpack ConcatV2 Concat ShapeN Tile BroadcastTo NoOp "
    "FusedBatchNormV3 FusedBatchNormGradV3".split()
)


# With a constant on one side they keep a number off zero or one.
GUARDS = frozenset({"AddV2", "Add", "Sub", "Maximum", "Minimum", "ClipByValue"})


@dataclass
class Site:
    """A place where an op is built (once, in a graph) or run (each time, eagerly). ``inputs``/``outputs`` are keys."""

    number: int
    type: str
    name: str
    dtype: str
    inputs: tuple[int, ...]
    outputs: list[int]
    backward: bool
    op: Any = None
    forward: int | None = None
    opens: bool = False  # takes a value out of a handle: a tensor list, a stack, a variable
    makes_handle: bool = False
    frames: Stack = ()
    ran_in: Layer | None = None
    scalars: dict[int, float] = field(default_factory=dict)  # inputs of a guard that hold one number, eagerly
    runs: int = 0  # how often this line ran this op before, eagerly
    reported: tuple[int, ...] = ()  # which of the first inputs hold floats, in a graph

    @property
    def stack(self) -> Stack:
        """The user's frames, innermost first."""
        return self.frames if self.op is None else user_stack(private.user_frames(self.op))

    @property
    def layer(self) -> Layer | None:
        """The Keras layer whose own code made the op."""
        return self.ran_in if self.op is None else layer_of(self.op)


@dataclass(frozen=True)
class Report:
    """One bad output: the numbers of the op's first inputs and of its outputs; ``iteration`` -1 where not known."""

    site: int
    iteration: int
    inputs: tuple[Health, ...]
    output: Health


def health_of(array: Any) -> Health:
    """How many numbers of each kind an array holds."""
    values = np.asarray(array).astype(np.float64)
    finite = values[np.isfinite(values)]
    return Health(
        values.size, int(np.isneginf(values).sum()), int(np.isposinf(values).sum()), int(np.isnan(values).sum()),
        int((finite < 0).sum()), int((finite == 0).sum()), int((finite > 0).sum()),
    )  # fmt: skip
