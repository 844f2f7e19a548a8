"""From what was recorded while eager code ran to a frozen Snapshot."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from explorer.capture.builder import SnapshotBuilder
from explorer.capture.eager_copy import copy_call
from explorer.capture.eager_loops import describe_loops
from explorer.capture.eager_records import Kept, Recorded, Recording
from explorer.capture.python_loops import Path
from explorer.model.graph import Departure, Op, Signature, Snapshot, Source

_PASSES_ON = Signature("ok", frozenset({(0, 0)}), frozenset())  # would carry, but TensorFlow answers None


def freeze_recording(
    recording: Recording,
    runs: Mapping[Path, array],
    sources: Sequence[tuple[str, str, Any]],
    losses: Sequence[Any],
    complete: bool,
) -> Snapshot:
    """The Snapshot of all that ran so far."""
    known = {_identity(live): (name, kind) for name, kind, live in sources}
    freezing = _Freezing(recording, runs, known)
    for tensor, _, _ in recording.departures:
        if tensor in known:
            freezing.tensor(tensor)  # perhaps only Python reads it; a constant that comes back is met later
    freezing.ops()
    ends = [freezing.tensor(loss._id) for loss in losses]
    found = [_source(name, kind, live, freezing.find(_identity(live))) for name, kind, live in sources]
    builder = freezing.builder
    for tensor, how, stack in recording.departures:
        builder.departures.append(Departure(freezing.tensor(tensor), how, builder.stack(stack)))
    builder.set_graph(0, "root", -1, [s.tensor for s in found if s.tensor >= 0], ends)
    return builder.freeze(found, ends, "eager", complete)


class _Freezing:
    def __init__(
        self, recording: Recording, runs: Mapping[Path, array], sources: Mapping[int, tuple[str, str]]
    ) -> None:
        self.builder = SnapshotBuilder()
        self.builder.reserve_graph()
        self._recording, self._sources = recording, sources
        self._ids: dict[int, int] = {}
        self._names: Counter[str] = Counter()
        self._unwatched: dict[int, int] = {}
        self._op_ids: dict[int, int] = {}
        self._loop_ids = describe_loops(self.builder, recording, runs)

    def ops(self) -> None:
        """Freeze all ops, then the loops' variables, which refer to their tensors."""
        for position, op in enumerate(self._recording.ops):
            if op.outputs or op.signature is not None or op.inputs:
                self._op(position, op)
        self._loop_ids.add_slots(self._ids)

    def find(self, key: int) -> int:
        """The id of a tensor, -1 where no op met it."""
        return self._ids.get(key, -1)

    def tensor(self, key: int) -> int:
        """The id of a tensor; what no op made is a source or a constant, and gets an op that says so."""
        if key not in self._ids:
            name, kind = self._sources.get(key, ("", ""))
            kept = self._recording.tensors[key]
            op_type = {"input": "Placeholder", "variable": "VarHandleOp"}.get(kind, "Const")
            op = self.builder.reserve_op()
            self._ids[key] = self._add(op, kept)
            self.builder.set_op(Op(op, op_type, name or self._name(op_type), 0, "", (), (self._ids[key],), -1))
        return self._ids[key]

    def _op(self, position: int, op: Recorded) -> None:
        inputs = [self.tensor(key) for key in op.inputs]
        for i in op.unwatched:
            if op.inputs[i] in self._sources and _would_carry(op, i):
                inputs[i] = self._not_watched(op.inputs[i], op)
        op_id = self.builder.reserve_op()
        self._op_ids[position] = op_id
        outputs = []
        for key in op.outputs:
            self._ids[key] = self._add(op_id, self._recording.tensors[key])
            outputs.append(self._ids[key])
        frozen = Op(
            id=op_id,
            type=op.type,
            name=self._name(op.name or op.type),
            graph=0,
            loop=self._loop_ids.of(op),
            inputs=tuple(inputs),
            outputs=tuple(outputs),
            stack=self.builder.stack(op.stack) if op.stack else -1,
            signature=self.builder.signature(op.signature) if op.signature is not None else -1,
            turn=tuple(turn for _, turn in op.turns),
            note=op.note,
            layer=self.builder.layer(op.layer),
        )
        self.builder.set_op(frozen)
        if op.call is not None:
            copy_call(op.call, self.builder, frozen)

    def _not_watched(self, key: int, reader: Recorded) -> int:
        """A source as ops see it while no tape watches it: the value passes, the gradient stops."""
        if key not in self._unwatched:
            before = self.tensor(key)
            op = self.builder.reserve_op()
            after = self._add(op, self._recording.tensors[key])
            signature = self.builder.signature(_PASSES_ON)
            name, stack = self._name("not_watched"), self.builder.stack(reader.stack) if reader.stack else -1
            self.builder.set_op(
                Op(op, "Identity", name, 0, "", (before,), (after,), stack, signature, note="not_watched")
            )
            self._unwatched[key] = after
        return self._unwatched[key]

    def _add(self, op: int, kept: Kept) -> int:
        return self.builder.add_tensor(op, kept.dtype, kept.shape, kept.trainable)

    def _name(self, base: str) -> str:
        self._names[base] += 1
        return base if self._names[base] == 1 else f"{base}_{self._names[base] - 1}"


def _would_carry(op: Recorded, position: int) -> bool:
    return op.call is not None or (op.signature is not None and any(i == position for _, i in op.signature.pairs))


def _identity(live: Any) -> int:
    """The ``_id`` under which ops know a source: a variable's is its handle's."""
    inner = live
    if not hasattr(inner, "handle") and hasattr(inner, "value") and not callable(inner.value):
        inner = inner.value  # a Keras variable
    return int(getattr(inner, "handle", inner)._id)


def _source(name: str, kind: str, live: Any, tensor: int) -> Source:
    dtype = live.dtype if isinstance(live.dtype, str) else live.dtype.base_dtype.name
    trainable = dtype.startswith(("float", "bfloat", "complex", "half")) and bool(getattr(live, "trainable", True))
    shape = tuple(live.shape)
    return Source(name, kind, dtype, shape, tensor, trainable)  # type: ignore[arg-type]
