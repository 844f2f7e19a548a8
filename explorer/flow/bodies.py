"""What is learnt of ``tf.py_function`` when its Python code has run: which inputs give no gradient, where, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from explorer.flow.predict import predict
from explorer.model.graph import Cut, Location, Op, PythonBody, Signature, Snapshot
from explorer.model.verdict import GradientFlow, Prediction

_UNUSED = ("never_read", "result_dropped")
_DECIDES = ("bool()", "tf.cond", "tf.while_loop", "tf.switch_case")


def with_bodies(snapshot: Snapshot, bodies: Mapping[str, PythonBody]) -> Snapshot:
    """The Snapshot with the cuts inside its Python functions; the same one where there are none."""
    ops, signatures, cuts = list(snapshot.ops), list(snapshot.signatures), list(snapshot.cuts)
    for op in snapshot.ops:
        body = bodies.get(op.note) if op.type == "EagerPyFunc" else None
        if body is None or op.signature < 0:
            continue
        before = snapshot.signatures[op.signature]
        # a result that is no float carries nothing, whatever the code does
        found = [cut for cut in _alike(_cuts(op, body)) if (cut.output, cut.input) in before.pairs]
        if found:
            pairs = before.pairs - {(cut.output, cut.input) for cut in found}
            signatures.append(Signature(before.rule, pairs, before.answers, before.message))
            ops[op.id] = replace(op, signature=len(signatures) - 1)
            cuts += found
    if len(cuts) == len(snapshot.cuts):
        return snapshot
    return replace(snapshot, ops=tuple(ops), signatures=tuple(signatures), cuts=tuple(cuts))


def _alike(cuts: Iterator[Cut]) -> list[Cut]:
    """An input that one output does not need, and another loses, is lost."""
    found = list(cuts)
    telling = {cut.input: cut for cut in found if cut.cause not in _UNUSED}
    return [replace(telling.get(cut.input, cut), output=cut.output) for cut in found]


def _cuts(op: Op, body: PythonBody) -> Iterator[Cut]:
    for output, loss in enumerate(body.snapshot.losses):
        flow = predict(replace(body.snapshot, losses=(loss,)))
        for prediction in flow.predictions:
            if prediction.predicted in ("none-blocked", "none-disconnected"):
                yield _cut(op, output, prediction, flow, body)


def _cut(op: Op, output: int, prediction: Prediction, flow: GradientFlow, body: PythonBody) -> Cut:
    position = int(prediction.source)
    barriers = {b.id: b for b in flow.barriers}
    barrier = barriers[prediction.barriers[0]] if prediction.barriers else None
    where = barrier.location if barrier is not None else None
    read = barrier is not None and barrier.after < 0  # .numpy(), float(): seen while it ran
    if read and barrier is not None and barrier.op_name not in _DECIDES:
        return Cut(op.id, output, position, "left_tensorflow", where)
    ends = prediction.cause in (*_UNUSED, "left_tensorflow")
    numpy = _numpy_after(body, where or body.begins) if ends else None
    if numpy is not None or _came_from_python(body, output):
        seen = where if read else _departed(body, position)
        return Cut(op.id, output, position, "left_tensorflow", seen or numpy or body.begins)
    return Cut(op.id, output, position, prediction.cause or "opaque", where)


def _numpy_after(body: PythonBody, last: Location | None) -> Location | None:
    """The first line that names NumPy, in the function in which the value was last seen, from there on."""
    if last is None:
        return None
    here = (n for n in body.numpy if (n.file, n.function) == (last.file, last.function) and n.line >= last.line)
    return next(here, None)


def _came_from_python(body: PythonBody, output: int) -> bool:
    """What Python returns instead of a tensor becomes a constant."""
    tensor = body.snapshot.losses[output]
    return tensor < 0 or body.snapshot.ops[body.snapshot.tensors[tensor].op].type == "Const"


def _departed(body: PythonBody, position: int) -> Location | None:
    """Where the value of an input itself was read out."""
    tensor = body.snapshot.sources[position].tensor
    found = (d for d in body.snapshot.departures if d.tensor == tensor >= 0)
    return next((body.snapshot.where(d.stack) for d in found), None)
