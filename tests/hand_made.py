"""Small Snapshots made by hand, without TensorFlow: ops given as one line each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from explorer.model.graph import Graph, Location, Loop, Op, Signature, Slot, Snapshot, Source, Tensor

CARRIES = Signature("ok", frozenset({(0, 0)}), frozenset({0}))
CARRIES_BOTH = Signature("ok", frozenset({(0, 0), (0, 1)}), frozenset({0, 1}))
RETURNS_NONE = Signature("ok")
GIVES_ZERO = Signature("ok", frozenset(), frozenset({0}))
UNREGISTERED = Signature("lookup")


@dataclass
class Sketch:
    """Grows a Snapshot. Every op has one output; tensors are told by the id that ``op`` returns."""

    control_flow: str = "v2"
    ops: list[Op] = field(default_factory=list)
    tensors: list[Tensor] = field(default_factory=list)
    graphs: list[Graph] = field(default_factory=lambda: [Graph(0, "root", -1, (), ())])
    loops: list[Loop] = field(default_factory=list)
    signatures: list[Signature] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    stacks: list[tuple[Location, ...]] = field(default_factory=list)

    def op(
        self,
        kind: str,
        inputs: Sequence[int] = (),
        signature: Signature | None = None,
        *,
        dtype: str = "float32",
        graph: int = 0,
        loop: str = "",
        note: str = "",
        outputs: int = 1,
    ) -> int:
        """Add an op on a line of its own; the id of its first output."""
        number = len(self.ops)
        made = tuple(range(len(self.tensors), len(self.tensors) + outputs))
        for tensor in made:
            self.tensors.append(Tensor(tensor, number, dtype, (), dtype.startswith("float") or dtype == "resource"))
        if signature is not None and signature not in self.signatures:
            self.signatures.append(signature)
        asked = -1 if signature is None else self.signatures.index(signature)
        self.stacks.append((Location("model.py", number + 1),))
        self.ops.append(
            Op(number, kind, f"{kind}_{number}", graph, loop, tuple(inputs), made, number, asked, note=note)
        )
        return made[0] if made else -1

    def source(self, name: str, dtype: str = "float32") -> int:
        """Add an input."""
        tensor = self.op("Placeholder", dtype=dtype)
        self.sources.append(Source(name, "input", dtype, (), tensor, dtype.startswith("float")))
        return tensor

    def loop(self, enters: Sequence[int], make_body, *, runs: bool | None = None) -> list[int]:
        """A While over ``enters``; ``make_body(sketch, inside, graph, loop id)`` returns what the body hands on."""
        loop_id = f"loop{len(self.loops)}"
        number = len(self.ops)
        self.ops.append(Op(number, "While", loop_id, 0, "", tuple(enters), (), number))
        self.stacks.append((Location("model.py", number + 1),))
        body, cond = len(self.graphs), len(self.graphs) + 1
        self.graphs += [Graph(body, "body", number, (), ()), Graph(cond, "cond", number, (), ())]
        dtypes = [self.tensors[t].dtype for t in enters]
        inside = [self.op("Placeholder", dtype=d, graph=body, loop=loop_id) for d in dtypes]
        following = make_body(self, inside, body, loop_id)
        seen = [self.op("Placeholder", dtype=d, graph=cond, loop=loop_id) for d in dtypes]
        decision = self.op("Less", seen[:1], RETURNS_NONE, dtype="bool", graph=cond, loop=loop_id)
        leaves = []
        for dtype in dtypes:
            leaves.append(len(self.tensors))
            self.tensors.append(Tensor(leaves[-1], number, dtype, (), dtype.startswith("float")))
        self.ops[number] = Op(number, "While", loop_id, 0, "", tuple(enters), tuple(leaves), number)
        self.graphs[body] = Graph(body, "body", number, tuple(inside), tuple(following))
        self.graphs[cond] = Graph(cond, "cond", number, tuple(seen), (decision,))
        slots = tuple(
            Slot(k, f"v{k}", "invariant" if n == i else "state", d, (), e, i, n, out)
            for k, (d, e, i, n, out) in enumerate(zip(dtypes, enters, inside, following, leaves, strict=True))
        )
        self.loops.append(Loop(loop_id, None, 1, "While", "while_loop", number, number, slots, enters=runs))
        return leaves

    def snapshot(self, *losses: int) -> Snapshot:
        """Freeze it."""
        return Snapshot(
            tuple(self.ops), tuple(self.tensors), tuple(self.graphs), tuple(self.stacks), tuple(self.signatures),
            tuple(self.loops), tuple(self.sources), losses, self.control_flow,
        )  # fmt: skip
