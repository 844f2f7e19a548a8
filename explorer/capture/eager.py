"""Records a program that runs eagerly: every op, with the Python loops around it, and hands out a Snapshot.

Tensors are told apart by their ``_id``, which TensorFlow never uses twice, so no value is kept alive.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import FrameType, TracebackType
from typing import Any

import tensorflow as tf

from explorer.capture import private
from explorer.capture.builder import SnapshotBuilder, is_trainable, shape_of
from explorer.capture.eager_bodies import LoopBodies
from explorer.capture.eager_hooks import Kind, listening
from explorer.capture.eager_records import Kept, Recorded, Recording, States
from explorer.capture.eager_rules import EagerSignatures, ask_backward
from explorer.capture.eager_snapshot import freeze_recording
from explorer.capture.freeze import Freezer, Place
from explorer.capture.layers import layer_here
from explorer.capture.lines import is_user_file
from explorer.capture.python_loops import LoopTracer, Run, Turn
from explorer.capture.running_frames import user_frames_of
from explorer.model.graph import Signature, Snapshot, Stack

_PLAIN = frozenset({tf.float32, tf.float64, tf.int32, tf.int64, tf.bool})
_SIGNATURES = EagerSignatures()  # what TensorFlow's registry answers is the same for every recording


@dataclass(frozen=True)
class Opened:
    """A tf.function call that has begun."""

    name: str
    stack: Stack
    turns: tuple[Turn, ...]
    stopped: bool
    graph: SnapshotBuilder


class EagerRecorder:
    """``with EagerRecorder() as recorder: y = fn(x)``, then ``recorder.snapshot(sources, losses)``."""

    def __init__(self, states: bool = False) -> None:
        """``states``: keep the live tensors that loops carry, iteration by iteration."""
        self.paused = False
        self.complete = False
        self.recording = Recording(states=States() if states else None)
        self.loops = LoopTracer(is_user_file, self._turn, self._leave if states else None)
        self._bodies = LoopBodies(self.recording, self.loops)
        self._graphs: dict[int, SnapshotBuilder] = {}
        self._everything = contextlib.ExitStack()

    def __enter__(self) -> EagerRecorder:
        self._everything.enter_context(listening(self))
        self._everything.enter_context(self.loops)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.complete = kind is None
        self._everything.close()

    def snapshot(self, sources: Sequence[tuple[str, str, Any]], losses: Sequence[Any]) -> Snapshot:
        """What ran so far, frozen. ``sources`` are ``(name, "input" or "variable", tensor or variable)``."""
        self._ids(losses)  # a loss that no op made or took, such as an input itself, is kept like any other
        return freeze_recording(self.recording, self.loops.runs, sources, losses, self.complete)

    # -- what the hooks report ------------------------------------------------------------------------------------

    def op(self, op_type: str, inputs: list, attributes: tuple, outputs: list) -> None:
        """An op ran. Our own functions are not traced meanwhile: there are many of them."""
        self.paused = True
        self.loops.rest()
        try:
            signature = None
            if inputs and outputs:
                kept = self.recording.tensors
                kinds = tuple((kept[t].dtype, kept[t].trainable) for t in (*self._ids(inputs), *self._ids(outputs)))
                signature = _SIGNATURES.of(op_type, inputs, attributes, outputs, (len(inputs), kinds))
            self._record(op_type, "", inputs, outputs, signature)
            if op_type == "EagerPyFunc":
                token = dict(zip(attributes[::2], attributes[1::2], strict=False)).get("token", "")
                note = token.decode() if isinstance(token, bytes) else str(token)
                self.recording.ops[-1] = replace(self.recording.ops[-1], note=note)
        finally:
            self.loops.resume()
            self.paused = False

    def own_gradient(self, op_type: str, inputs: list, outputs: list, backward: Callable[..., Any]) -> None:
        """An operation was put on the tape with its own backward function.

        TensorFlow gives the results an identity of their own first; the tape then forgets that one, so the two are
        recorded as one op: the identity's input is data only.
        """
        self.paused = True
        try:
            signature = ask_backward(backward, inputs, outputs)
        finally:
            self.paused = False
        kind = "CustomGradient" if op_type != "_copy" else "Copy"
        replaced = [self._take_identity(t._id) for t in outputs]
        stack, turns = self._here(sys._getframe(1))
        behind = tuple(t for t in replaced if t is not None)
        shift = len(behind)
        self._append(
            Recorded(
                kind,
                op_type,
                behind + self._ids(inputs),
                self._ids(outputs),
                stack,
                turns,
                replace(
                    signature,
                    pairs=frozenset((o, i + shift) for o, i in signature.pairs),
                    answers=frozenset(i + shift for i in signature.answers),
                ),
                self._outside(signature.pairs),
                self._unwatched([None] * shift + inputs),
            )
        )

    def departed(self, tensor: Any, how: str, frame: FrameType) -> None:
        """A tensor's value was read out of TensorFlow by the user's code."""
        self._keep(tensor)
        stack = user_frames_of(frame)
        if how == "tf.while_loop":  # its condition is written where the tensor was computed
            stack = self._condition(tensor._id, len(stack)) or stack
        self.recording.departures.append((tensor._id, how, stack))

    def _condition(self, tensor: int, depth: int) -> Stack | None:
        """The lines in the user's condition function that gave ``tensor``; ``depth`` counts those around the loop."""
        position = self.recording.producer.get(tensor)
        if position is None:
            return None
        made = self.recording.ops[position]
        if len(made.stack) <= depth and made.type == "LogicalAnd":  # the bound on iterations and the condition
            return self._condition(made.inputs[-1], depth)
        return made.stack if len(made.stack) > depth else None

    def python_function(self, inputs: list, outputs: list) -> None:
        """``tf.numpy_function`` ran: no op of TensorFlow, but data went through it."""
        self._record("PyFunc", "numpy_function", inputs, outputs, Signature("nondiff"))

    def call_begins(self, function: Any) -> Opened:
        """A tf.function is about to run; its graph is frozen before a tape rewrites it."""
        graph = function.graph
        if id(graph) not in self._graphs:
            self.paused = True
            try:
                builder = SnapshotBuilder()  # it keeps the graph alive, whose id is the key
                names = {id(v.handle): str(v.name) for v in graph.variables}
                Freezer(builder, names).graph(graph, "call", -1, Place())
            finally:
                self.paused = False
            self._graphs[id(graph)] = builder
        stack, turns = self._here(sys._getframe(1))
        return Opened(graph.name, stack, turns, not private.record.could_possibly_record(), self._graphs[id(graph)])

    def call_ends(self, opened: Opened, inputs: list, outputs: list) -> None:
        """It ran, as one op."""
        note = "outside_tape" if opened.stopped else ""
        self._append(
            Recorded(
                "PartitionedCall",
                opened.name,
                self._ids(inputs),
                self._ids(outputs),
                opened.stack,
                opened.turns,
                note=note,
                unwatched=self._unwatched(inputs),
                call=opened.graph,
            )
        )

    def loop(self, original: Callable[..., Any], frame: FrameType, arguments: tuple, named: dict) -> Any:
        """``tf.while_loop`` runs eagerly."""
        return self._bodies.of_tensorflow(original, frame, arguments, named)

    def converted_loop(
        self, kind: Kind, original: Callable[..., Any], frame: FrameType, statement: FrameType | None, arguments: tuple
    ) -> Any:
        """A Python loop runs in code that AutoGraph converted."""
        return self._bodies.converted(kind, original, frame, statement, arguments)

    # -- keeping ----------------------------------------------------------------------------------------------------

    def _record(self, op_type: str, name: str, inputs: list, outputs: list, signature: Signature | None) -> None:
        stack, turns = self._here(sys._getframe(1))
        self._append(
            Recorded(
                op_type,
                name,
                self._ids(inputs),
                self._ids(outputs),
                stack,
                turns,
                signature,
                self._outside(signature.pairs if signature else ()),
                self._unwatched(inputs),
                layer=layer_here(sys._getframe(1)),
            )
        )

    def _append(self, op: Recorded) -> None:
        for tensor in op.outputs:
            self.recording.producer[tensor] = len(self.recording.ops)
        self.recording.ops.append(op)

    def _take_identity(self, output: int) -> int | None:
        """Take back the identity that made ``output``; its input, None where ``output`` was made otherwise."""
        position = self.recording.producer.get(output)
        if position is None or self.recording.ops[position].type != "Identity":
            return None
        taken = self.recording.ops[position]
        self.recording.ops[position] = replace(taken, outputs=(), signature=None)
        return taken.inputs[0]

    def _ids(self, tensors: Sequence[Any]) -> tuple[int, ...]:
        return tuple(self._keep(t) for t in tensors)

    def _keep(self, tensor: Any) -> int:
        key: int = tensor._id
        if key not in self.recording.tensors:
            dtype = tensor.dtype
            if dtype not in _PLAIN:
                trainable = is_trainable(tensor)  # the element type behind the handle decides
            else:
                trainable = dtype.is_floating or dtype.is_complex
            self.recording.tensors[key] = Kept(dtype.name, shape_of(tensor.shape), trainable)
        return key

    @staticmethod
    def _outside(pairs: Any) -> str:
        return "outside_tape" if pairs and not private.record.could_possibly_record() else ""

    def _unwatched(self, inputs: Sequence[Any]) -> tuple[int, ...]:
        """Positions of inputs that no op made, so that they may be sources, and that no tape watches."""
        if not private.record.could_possibly_record():
            return ()
        made, watched = self.recording.producer, private.record.should_record_backprop
        return tuple(i for i, t in enumerate(inputs) if t is not None and t._id not in made and not watched([t]))

    def _here(self, frame: FrameType) -> tuple[Stack, tuple[Turn, ...]]:
        return user_frames_of(frame), self.loops.here(frame)

    def _turn(self, frame: FrameType, run: Run) -> None:
        self._bodies.bind(run, frame.f_locals)

    def _leave(self, frame: FrameType, run: Run) -> None:
        self._bodies.leave(run, frame.f_locals)
