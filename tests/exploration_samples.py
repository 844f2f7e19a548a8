"""Explorations made by hand, TensorFlow not needed: what a capture of small nested loops looks like.

``Program`` records ops as a capture would, with the ways on which a gradient is carried, and works out the prediction
by its own plain reachability, so that the pictures' tests do not lean on the code they test.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from explorer.model.case import Case, Shape
from explorer.model.graph import (
    Graph,
    GraphKind,
    Location,
    Loop,
    Op,
    Role,
    Signature,
    Slot,
    Snapshot,
    Source,
    Tensor,
)
from explorer.model.verdict import Barrier, Conclusion, Exploration, GradientFlow, Prediction

OK, CUT = 0, 1
FILE = "/home/user/project/model.py"
INNER: Shape = (None, 8)


class Program:
    """A snapshot in the making. Methods return tensor ids."""

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.tensors: list[Tensor] = []
        self.graphs: list[Graph] = [Graph(0, "root", -1, (), ())]
        self.loops: list[Loop] = []
        self.sources: list[Source] = []
        self.signatures: list[Signature] = []
        self.barriers: list[Barrier] = []
        self.stacks: dict[int, int] = {}
        self.ways: list[tuple[int, int, bool]] = []
        self.losses: tuple[int, ...] = ()
        self.trips: dict[str, tuple[int, ...]] = {}

    def stack(self, line: int) -> int:
        return self.stacks.setdefault(line, len(self.stacks))

    def op(
        self,
        type_: str,
        *inputs: int,
        loop: str = "",
        graph: int = 0,
        dtype: str = "float32",
        shape: Shape | None = INNER,
        outputs: int = 1,
        line: int = 1,
        name: str = "",
        cuts: Sequence[int] = (),
        turn: tuple[int, ...] = (),
        trainable: bool | None = None,
        ask: bool = True,
    ) -> int:
        """One op; ``cuts`` are the inputs that carry no gradient. Returns its first output."""
        carries = dtype in ("float32", "variant", "resource") if trainable is None else trainable
        op, first = len(self.ops), len(self.tensors)
        made = tuple(range(first, first + outputs))
        self.tensors += [Tensor(tensor, op, dtype, shape, carries) for tensor in made]
        signature = -1
        if ask and inputs and carries:
            kept = [i for i, tensor in enumerate(inputs) if i not in cuts and self.tensors[tensor].trainable]
            signature = len(self.signatures)
            self.signatures.append(Signature("ok", frozenset((o, i) for o in range(outputs) for i in kept)))
        self.ops.append(
            Op(op, type_, name or f"{type_}_{op}", graph, loop, inputs, made, self.stack(line), signature, turn)
        )
        if ask:
            for place, tensor in enumerate(inputs):
                carried = carries and place not in cuts and self.tensors[tensor].trainable
                self.ways += [(tensor, output, carried) for output in made]
        return first

    def source(self, name: str, shape: Shape, kind: str = "variable", dtype: str = "float32") -> int:
        type_, kept = ("VarHandleOp", "resource") if kind == "variable" else ("Placeholder", dtype)
        tensor = self.op(type_, dtype=kept, shape=shape, name=name, trainable=dtype == "float32")
        self.sources.append(Source(name, kind, dtype, shape, tensor, dtype == "float32", Location(FILE, 2)))
        return tensor

    def read(self, handle: int, loop: str = "", graph: int = 0, turn: tuple[int, ...] = ()) -> int:
        return self.op("ReadVariableOp", handle, loop=loop, graph=graph, shape=self.tensors[handle].shape, turn=turn)

    def body(self, kind: GraphKind, op: int, branch: int = 0) -> int:
        self.graphs.append(Graph(len(self.graphs), kind, op, (), (), branch))
        return len(self.graphs) - 1

    def close(self, graph: int, inputs: Iterable[int], outputs: Iterable[int]) -> None:
        old = self.graphs[graph]
        self.graphs[graph] = Graph(graph, old.kind, old.op, tuple(inputs), tuple(outputs), old.branch)

    def while_loop(
        self, loop: str, api: str, rows: Sequence[tuple[str, Role, int]], outer: int, line: int
    ) -> tuple[int, list[int], int]:
        """A While op with these loop variables; returns op, tensors inside and the body's graph. Close with ``end``."""
        around = loop.rpartition("/")[0]
        first = len(self.tensors)
        op = len(self.ops)
        self.tensors += [
            Tensor(first + i, op, self.tensors[given].dtype, self.tensors[given].shape, self.tensors[given].trainable)
            for i, (_, _, given) in enumerate(rows)
        ]
        given = tuple(row[2] for row in rows)
        made = tuple(range(first, first + len(rows)))
        self.ops.append(Op(op, "While", f"{api}/while", outer, around, given, made, self.stack(line)))
        body = self.body("body", op)
        inside = [
            self.op(
                "Placeholder", loop=loop, graph=body, dtype=self.tensors[t].dtype, shape=self.tensors[t].shape, name=n,
                trainable=self.tensors[t].trainable,
            )
            for n, _, t in rows
        ]  # fmt: skip
        return op, inside, body

    def end(
        self, loop: str, api: str, op: int, body: int, rows: Sequence[tuple[str, Role, int]], inside: Sequence[int],
        after: Sequence[int], line: int, trips: tuple[int, ...],
    ) -> tuple[int, ...]:  # fmt: skip
        """Close a While; returns its results."""
        leaves = self.ops[op].outputs
        slots = tuple(
            Slot(
                i,
                name,
                role,
                self.tensors[inside[i]].dtype,
                self.tensors[inside[i]].shape,
                given,
                inside[i],
                after[i],
                leaves[i],
            )
            for i, (name, role, given) in enumerate(rows)
        )
        for slot in slots:
            pairs = (
                (slot.enters, slot.inside),
                (slot.next, slot.inside),
                (slot.next, slot.leaves),
                (slot.enters, slot.leaves),
            )
            self.ways += [(a, b, self.tensors[a].trainable) for a, b in pairs]
        parent = loop.rpartition("/")[0] or None
        self.loops.append(
            Loop(loop, parent, loop.count("/") + 1, "While", api, self.stack(line), op, slots, enters=True)
        )
        self.close(body, inside, after)
        self.trips[loop] = trips
        return leaves

    def barrier(self, tensor: int, place: int, cause: str, line: int, count: int = 1) -> None:
        """Say that the op that made ``tensor`` is a barrier."""
        op = self.ops[self.tensors[tensor].op]
        self.barriers.append(
            Barrier(
                f"b{len(self.barriers)}", op.id, op.name, op.type, place, op.loop, cause, False, Location(FILE, line),
                "Keep the path in floating point.", op.inputs[place], tensor, count,
            )
        )  # fmt: skip

    def _reach(self, carrying: bool) -> frozenset[int]:
        seen = set(self.losses)
        while True:
            more = {a for a, b, carried in self.ways if b in seen and (carried or not carrying)} - seen
            if not more:
                return frozenset(seen)
            seen |= more

    def exploration(self, predicted: bool = True, control_flow: str = "v2") -> Exploration:
        stacks = tuple((Location(FILE, line, "step"),) for line in self.stacks)
        parents = sorted(self.loops, key=lambda loop: loop.depth)
        snapshot = Snapshot(
            tuple(self.ops), tuple(self.tensors), tuple(self.graphs), stacks, tuple(self.signatures), tuple(parents),
            tuple(self.sources), self.losses, control_flow,
        )  # fmt: skip
        if not predicted:
            return Exploration(Case("sample"), snapshot=snapshot)
        whole, leads = self._reach(True), self._reach(False)
        rows, conclusions = [], []
        for source in self.sources:
            if not source.trainable:
                status = "not-trainable"
            elif source.tensor in whole:
                status = "flows"
            else:
                status = "none-blocked" if source.tensor in leads else "none-disconnected"
            rows.append(Prediction(source.name, status, status == "flows"))
            conclusions.append(Conclusion(source.name, status))
        flow = GradientFlow(tuple(rows), tuple(self.barriers), whole, leads)
        return Exploration(
            Case("sample"), "done", snapshot=snapshot, flow=flow, trips=dict(self.trips), conclusions=tuple(conclusions)
        )


def _cell(
    p: Program, loop: str, graph: int, x: int, h: int, c: int, weights: Sequence[int], turn: tuple[int, ...] = ()
) -> tuple[int, int]:
    """One LSTM step; returns the new h and c."""

    def op(type_: str, *inputs: int, outputs: int = 1, cuts: Sequence[int] = ()) -> int:
        name = f"lstm/while/lstm_cell/{type_}"
        return p.op(type_, *inputs, loop=loop, graph=graph, outputs=outputs, line=14, name=name, cuts=cuts, turn=turn)

    kernel, recurrent, bias = (p.read(weight, loop, graph, turn) for weight in weights)
    pre = op("BiasAdd", op("AddV2", op("MatMul", x, kernel), op("MatMul", h, recurrent)), bias)
    axis = p.op("Const", loop=loop, graph=graph, dtype="int32", shape=(), line=14, turn=turn)
    i = op("Split", axis, pre, outputs=4)
    f, g, o = i + 1, i + 2, i + 3
    c_new = op("AddV2", op("Mul", op("Sigmoid", f), c), op("Mul", op("Sigmoid", i), op("Tanh", g)))
    return op("Mul", op("Sigmoid", o), op("Tanh", c_new)), c_new


def nested_lstm(breaker: str = "", predicted: bool = True) -> Exploration:
    """map_fn over a Keras LSTM, 3 times 7 iterations; ``breaker``: ``stop_gradient`` or ``integer_cast``, inside."""
    p = Program()
    x = p.source("x", (None, None, None, 10), "input")
    weights = [
        p.source(name, shape) for name, shape in (("kernel", (10, 32)), ("recurrent_kernel", (8, 32)), ("bias", (32,)))
    ]
    unused = p.source("head/kernel", (8, 1))
    head = p.read(unused)
    zero = p.op("Const", dtype="int32", shape=())
    limit = p.op("StridedSlice", p.op("Shape", x, dtype="int32", shape=(4,)), dtype="int32", shape=(), ask=False)
    reserve = p.op("TensorListReserve", zero, limit, dtype="variant", shape=())
    listed = p.op("TensorListFromTensor", x, dtype="variant", shape=(), line=20)
    rows: list[tuple[str, Role, int]] = [
        ("map/while/loop_counter", "counter", zero), ("i", "counter", zero), ("ta", "accumulator", reserve),
        ("n", "limit", limit),
        ("elems", "invariant", listed), *((f"w{i}", "invariant", weight) for i, weight in enumerate(weights)),
    ]  # fmt: skip
    op, inside, body = p.while_loop("map_fn", "map_fn", rows, 0, 20)
    item = p.op("TensorListGetItem", inside[4], inside[1], loop="map_fn", graph=body, line=21)
    last = _rnn(p, item, inside[5:8], body, breaker)
    put = p.op(
        "TensorListSetItem", inside[2], inside[1], last, loop="map_fn", graph=body, dtype="variant", shape=(), line=22
    )
    one = p.op("Const", loop="map_fn", graph=body, dtype="int32", shape=())
    step = p.op("AddV2", inside[1], one, loop="map_fn", graph=body, dtype="int32", shape=())
    after = [step, step, put, inside[3], *inside[4:]]
    results = p.end("map_fn", "map_fn", op, body, rows, inside, after, 20, (3,))
    stacked = p.op("TensorListStack", results[2], line=23)
    loss = p.op("Mean", p.op("Square", p.op("MatMul", stacked, head, line=24), line=25), shape=(), line=25)
    p.losses = (loss,)
    return p.exploration(predicted)


def _rnn(p: Program, item: int, weights: Sequence[int], graph: int, breaker: str) -> int:
    loop = "map_fn/lstm"
    zero = p.op("Const", loop="map_fn", graph=graph, dtype="int32", shape=())
    state = p.op("Fill", zero, zero, loop="map_fn", graph=graph, line=12)
    sizes = p.op("Shape", item, loop="map_fn", graph=graph, dtype="int32", ask=False)
    limit = p.op("StridedSlice", sizes, loop="map_fn", graph=graph, dtype="int32", ask=False)
    reserve = p.op("TensorListReserve", zero, limit, loop="map_fn", graph=graph, dtype="variant", shape=())
    turned = p.op("Transpose", item, zero, loop="map_fn", graph=graph, line=12)
    listed = p.op("TensorListFromTensor", turned, loop="map_fn", graph=graph, dtype="variant", shape=(), line=12)
    rows: list[tuple[str, Role, int]] = [
        ("time", "counter", zero), ("output_ta", "accumulator", reserve), ("h", "state", state), ("c", "state", state),
        ("input_ta", "invariant", listed), ("limit", "limit", limit),
        *((f"w{i}", "invariant", w) for i, w in enumerate(weights)),
    ]  # fmt: skip
    op, inside, body = p.while_loop(loop, "Keras LSTM", rows, graph, 12)
    x = p.op("TensorListGetItem", inside[4], inside[0], loop=loop, graph=body, line=13)
    h = inside[2]
    if breaker == "stop_gradient":
        h = p.op("StopGradient", h, loop=loop, graph=body, line=16, cuts=[0])
        p.barrier(h, 0, "stop_gradient", 16)
    new_h, new_c = _cell(p, loop, body, x, h, inside[3], inside[6:9])
    if breaker == "integer_cast":
        whole = p.op("Cast", new_h, loop=loop, graph=body, dtype="int32", line=17, cuts=[0])
        p.barrier(whole, 0, "integer_dtype", 17)
        new_h = p.op("Cast", whole, loop=loop, graph=body, line=17)
    put = p.op(
        "TensorListSetItem", inside[1], inside[0], new_h, loop=loop, graph=body, dtype="variant", shape=(), line=13
    )
    one = p.op("Const", loop=loop, graph=body, dtype="int32", shape=())
    step = p.op("AddV2", inside[0], one, loop=loop, graph=body, dtype="int32", shape=())
    after = [step, put, new_h, new_c, *inside[4:]]
    results = p.end(loop, "Keras LSTM", op, body, rows, inside, after, 12, (7, 7, 7))
    return results[2]


def unrolled(outer: int = 3, inner: int = 4, cut: bool = False) -> Exploration:
    """A Python loop in a Python loop, recorded eagerly; ``cut`` rounds the state in every iteration."""
    p = Program()
    x = p.source("x", (outer, inner, 10), "input")
    w, u = p.source("W", (10, 8)), p.source("U", (8, 8))
    finals = []
    rounded = -1
    for i in range(outer):
        row = p.op("StridedSlice", x, loop="for", line=31, turn=(i,))
        h = p.op("Fill", p.op("Const", dtype="int32", shape=(), loop="for", turn=(i,)), loop="for", line=32, turn=(i,))
        for t in range(inner):
            turn, loop = (i, t), "for/for"
            step = p.op("StridedSlice", row, loop=loop, line=34, turn=turn)
            a = p.op("MatMul", step, p.read(w, loop, 0, turn), loop=loop, line=35, turn=turn)
            b = p.op("MatMul", h, p.read(u, loop, 0, turn), loop=loop, line=35, turn=turn)
            h = p.op("Tanh", p.op("AddV2", a, b, loop=loop, line=35, turn=turn), loop=loop, line=35, turn=turn)
            if cut:
                h = p.op("Round", h, loop=loop, line=36, turn=turn, cuts=[0])
                rounded = h
        finals.append(h)
    if cut:
        p.barrier(rounded, 0, "rule_returns_none", 36, outer * inner)
    p.loops = [
        Loop("for", None, 1, "python", "for", p.stack(30), -1, (), runs=(outer,)),
        Loop("for/for", "for", 2, "python", "for", p.stack(33), -1, (), runs=(inner,) * outer),
    ]
    stacked = p.op("Pack", *finals, line=38)
    p.losses = (p.op("Mean", stacked, shape=(), line=39),)
    return p.exploration(control_flow="eager")


def frame_loop() -> Exploration:
    """A TF1 while loop of real frames: h is multiplied by w in every iteration."""
    p = Program()
    x, w = p.source("x", (2, 8), "input"), p.source("w", (8, 8))
    loop = "while"
    enter_h = p.op("Enter", x, loop=loop, line=50)
    enter_w = p.op("Enter", p.read(w), loop=loop, line=50)
    zero = p.op("Const", dtype="int32", shape=())
    enter_i = p.op("Enter", zero, dtype="int32", shape=(), loop=loop, line=50)
    merges = [
        p.op("Merge", tensor, tensor, dtype=p.tensors[tensor].dtype, loop=loop, outputs=2)
        for tensor in (enter_i, enter_h)
    ]
    cond = p.op("LoopCond", p.op("Less", merges[0], zero, dtype="bool", loop=loop), dtype="bool", loop=loop)
    switches = [
        p.op("Switch", merge, cond, dtype=p.tensors[merge].dtype, loop=loop, outputs=2, cuts=[1]) for merge in merges
    ]
    inside = [p.op("Identity", switch + 1, dtype=p.tensors[switch].dtype, loop=loop) for switch in switches]
    new_h = p.op("Tanh", p.op("MatMul", inside[1], enter_w, loop=loop, line=51), loop=loop, line=51)
    new_i = p.op("AddV2", inside[0], zero, dtype="int32", loop=loop)
    nexts = [p.op("NextIteration", tensor, dtype=p.tensors[tensor].dtype, loop=loop) for tensor in (new_i, new_h)]
    exits = [p.op("Exit", switch, dtype=p.tensors[switch].dtype) for switch in switches]
    for merge, back in zip(merges, nexts, strict=True):
        op = p.ops[p.tensors[merge].op]
        p.ops[op.id] = Op(op.id, op.type, op.name, 0, loop, (op.inputs[0], back), op.outputs, op.stack, op.signature)
        p.ways.append((back, merge, True))
    names: tuple[tuple[str, Role], ...] = (("i", "counter"), ("h", "state"))
    slots = tuple(
        Slot(i, name, role, p.tensors[inside[i]].dtype, (2, 8), enter, inside[i], new, exits[i])
        for i, ((name, role), enter, new) in enumerate(zip(names, (zero, x), (new_i, new_h), strict=True))
    )
    p.loops = [Loop(loop, None, 1, "frame", "while_loop", p.stack(50), -1, slots, maximum_iterations=9)]
    p.losses = (p.op("Mean", exits[1], shape=(), line=52),)
    return p.exploration(control_flow="v1")


def branches() -> Exploration:
    """An If whose branches scale x differently, and a function call after it, all at the top."""
    p = Program()
    x, k = p.source("x", (8,), "input"), p.source("k", ())
    pred = p.op("Const", dtype="bool", shape=())
    given = (x, p.read(k))
    op = len(p.ops)
    out = p.op("If", pred, *given, ask=False, name="cond", line=60)
    for branch, kind in enumerate(("Mul", "Sub")):
        graph = p.body("branch", op, branch)
        inputs = [p.op("Placeholder", graph=graph) for _ in given]
        made = p.op(kind, *inputs, graph=graph, line=61 + branch)
        p.close(graph, inputs, (made,))
        p.ways += [(a, b, True) for a, b in zip(given, inputs, strict=True)] + [(made, out, True)]
    call = len(p.ops)
    result = p.op("PartitionedCall", out, ask=False, line=64)
    graph = p.body("call", call)
    argument = p.op("Placeholder", graph=graph)
    made = p.op("Exp", argument, graph=graph, line=65)
    p.close(graph, (argument,), (made,))
    p.ways += [(out, argument, True), (made, result, True)]
    p.losses = (p.op("Mean", result, shape=(), line=66),)
    return p.exploration()


def condition_only() -> Exploration:
    """x decides only how long the loop runs: its barrier is on no edge of the body."""
    p = Program()
    x, y = p.source("x", (), "input"), p.source("y", ())
    rows: list[tuple[str, Role, int]] = [("total", "state", p.read(y)), ("bound", "invariant", x)]
    op, inside, body = p.while_loop("while", "while_loop", rows, 0, 70)
    new = p.op("Mul", inside[0], inside[0], loop="while", graph=body, line=71)
    results = p.end("while", "while_loop", op, body, rows, inside, [new, inside[1]], 70, (5,))
    p.losses = (results[0],)
    p.ways.append((x, results[0], False))
    p.barriers.append(
        Barrier(
            "b0", op, "while", "While", -1, "while", "condition_only", False, Location(FILE, 70), "Use x in the body.",
            x, results[0],
        )
    )  # fmt: skip
    return p.exploration()


def assigned() -> Exploration:
    """x is stored in a variable and read back: the value reaches the loss, the gradient does not."""
    p = Program()
    x, state = p.source("x", (), "input"), p.op("VarHandleOp", dtype="resource", shape=(), name="state")
    scaled = p.op("Mul", x, x, line=80)
    op = len(p.ops)
    p.ops.append(Op(op, "AssignVariableOp", "assign", 0, "", (state, scaled), (), p.stack(81)))
    p.ways.append((scaled, state, False))
    read = p.read(state)
    p.losses = (p.op("Mean", p.op("Exp", read, line=82), shape=(), line=83),)
    p.barriers.append(
        Barrier(
            "b0", op, "assign", "AssignVariableOp", 1, "", "assigned", False, Location(FILE, 81), "Keep a tensor.",
            scaled, read,
        )
    )  # fmt: skip
    return p.exploration()
