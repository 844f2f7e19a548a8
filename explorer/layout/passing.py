"""Does a gradient pass: the status of a tensor, and of a tensor's way into one op."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.layout.dataflow import Dataflow
from explorer.model.graph import Op, Snapshot
from explorer.model.verdict import Barrier, GradientFlow

RANK = {"flows": 0, "unknown": 1, "blocked": 2, "nondiff": 3}


def worse(one: str, other: str) -> str:
    """The status of a path made of two pieces."""
    return one if RANK[one] >= RANK[other] else other


def better(one: str, other: str) -> str:
    """The status of two paths side by side."""
    return one if RANK[one] <= RANK[other] else other


@dataclass(frozen=True)
class Passing:
    """Statuses from the prediction; without one a trainable tensor is ``unknown``."""

    snapshot: Snapshot
    flow: GradientFlow | None
    data: Dataflow
    barriers: dict[tuple[int, int], Barrier]

    @classmethod
    def of(cls, snapshot: Snapshot, flow: GradientFlow | None, data: Dataflow) -> Passing:
        """Index the barriers by the op and the input they cut."""
        barriers = {(barrier.op, barrier.input): barrier for barrier in (flow.barriers if flow else ())}
        return cls(snapshot, flow, data, barriers)

    def leads(self, tensor: int) -> bool:
        """Whether the tensor's data reaches the loss, as far as known."""
        return self.flow is None or not self.snapshot.losses or tensor in self.flow.leads

    def tensor(self, tensor: int) -> str:
        """The status of a tensor."""
        if tensor < 0 or not self.snapshot.tensors[tensor].trainable or tensor not in self.data.trained:
            return "nondiff"
        if self.flow is None or not self.snapshot.complete:
            return "unknown"
        if tensor in self.flow.whole:
            return "flows"
        return "blocked" if tensor in self.flow.leads else "nondiff"

    def into(self, op: Op, place: int) -> str:
        """The status of the way into an op through one input: narrower than its tensor's, which may flow elsewhere."""
        status = self.tensor(op.inputs[place])
        if self.barrier(op, place) is not None and status == "flows":
            return "blocked"
        if status != "flows" or self.flow is None or op.signature < 0:
            return status
        signature = self.snapshot.signatures[op.signature]
        whole = {number for number, output in enumerate(op.outputs) if output in self.flow.whole}
        if any(given == place and number in whole for number, given in signature.pairs):
            return "flows"
        return "blocked" if self.leads_on(op) else "nondiff"

    def barrier(self, op: Op, place: int) -> Barrier | None:
        """The barrier on this input, if there is one."""
        return self.barriers.get((op.id, place))

    def leads_on(self, op: Op) -> bool:
        """Whether what the op makes reaches the loss."""
        return any(self.leads(output) for output in op.outputs)
