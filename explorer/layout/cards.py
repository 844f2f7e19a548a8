"""The cards of a nest, before folding."""

from __future__ import annotations

from explorer.layout.carried import Carries
from explorer.layout.linking import Tracer
from explorer.layout.passing import better
from explorer.layout.spark import spark_of
from explorer.layout.values import Box, Card, CardKind, Mark
from explorer.layout.wording import (
    barrier_hint,
    barrier_text,
    cause,
    joined,
    loop_title,
    op_hint,
    place,
    shape,
    short_name,
    slot_hint,
    source_hint,
    trips,
)
from explorer.model.graph import Loop, Op, Snapshot
from explorer.model.verdict import Barrier, Exploration, GradientFlow
from explorer.rules.statuses import look


def source_cards(exploration: Exploration, snapshot: Snapshot) -> list[Card]:
    """Inputs and variables, with what was concluded about them, else predicted, else ``unknown``."""
    said = {row.source: (row.status, row.why) for row in exploration.conclusions}
    predicted: dict[str, str] = (
        {row.source: row.predicted for row in exploration.flow.predictions} if exploration.flow else {}
    )
    cards = []
    for source in snapshot.sources:
        status, why = said.get(source.name, (predicted.get(source.name, "unknown"), ""))
        hint = source_hint(source, status, why)
        cards.append(Card(f"source:{source.name}", "source", "", (source.name, look(status).label), status, hint))
    return cards


def loss_card(snapshot: Snapshot, predicted: bool) -> list[Card]:
    """What is differentiated; anything but one scalar is summed, and the card says so."""
    if not snapshot.losses:
        return []
    tensors = [snapshot.tensors[loss] for loss in snapshot.losses]
    first = f"{tensors[0].dtype} {shape(tensors[0].shape)}"
    text = first if len(tensors) == 1 and tensors[0].shape == () else f"sum of {first}"
    text = text if len(tensors) == 1 else f"sum of {len(tensors)} results"
    return [Card("loss", "loss", "", ("loss", text), "flows" if predicted else "unknown", joined(("loss", text)))]


def op_cards(tracer: Tracer) -> list[Card]:
    """The ops worth a card; one that cuts the gradient says why on a third line."""
    barriers = _by_drawn_op(tracer)
    cards = []
    for op in tracer.snapshot.ops:
        if tracer.drawn(op) != op.id:
            continue
        status = op_status(tracer, op)
        barrier = barriers.get(op.id)
        location = tracer.snapshot.where(op.stack)
        name = short_name(op, location) or op.name
        lines = (op.type, place(location) or name, cause(barrier)) if barrier else (op.type, name)
        hint = op_hint(tracer.snapshot, op, status)
        if barrier:
            hint = joined((hint, barrier_hint(barrier)))
        cards.append(Card(f"op:{op.id}", "op", op.loop, lines, status, hint, (op.id,), barrier.id if barrier else None))
    return cards


def op_status(tracer: Tracer, op: Op) -> str:
    """The best status of what the op makes."""
    status = "nondiff"
    for output in op.outputs:
        status = better(status, tracer.passing.tensor(output))
    return status


def _by_drawn_op(tracer: Tracer) -> dict[int, Barrier]:
    found: dict[int, Barrier] = {}
    for barrier in tracer.passing.barriers.values():
        drawn = tracer.drawn(tracer.snapshot.ops[barrier.op]) if barrier.op >= 0 else None
        if drawn is not None:
            found.setdefault(drawn, barrier)
    return found


def slot_cards(tracer: Tracer) -> list[Card]:
    """Two chips for every loop variable that carries data from a source to the loss."""
    cards = []
    for loop in tracer.snapshot.loops:
        for slot in loop.slots if loop.kind != "python" else ():
            if not tracer.chip(slot):
                continue
            sides: tuple[tuple[CardKind, int], ...] = (("slot", slot.inside), ("next", slot.next))
            for kind, tensor in sides:
                status = tracer.passing.tensor(tensor)
                hint = slot_hint(slot, status, kind)
                cards.append(Card(f"{kind}:{loop.id}#{slot.index}", kind, loop.id, (slot.name,), status, hint))
    return cards


def carried_cards(tracer: Tracer, carries: Carries) -> list[Card]:
    """Chips of unrolled loops, named by the user where the capture knows the name."""
    cards = []
    loops = {loop.id: loop for loop in tracer.snapshot.loops}
    for loop_id, producers in carries.producers.items():
        names = _carried_names(tracer, loops[loop_id])
        for card, status in producers.items():
            op = tracer.snapshot.ops[int(card.partition(":")[2])]
            name = names.get(card) or op.type
            for kind in ("slot", "next"):
                hint = joined((name, "carried to the next iteration of a Python loop", look(status).label))
                cards.append(Card(f"{kind}:{loop_id}#{card}", kind, loop_id, (name,), status, hint))
    return cards


def _carried_names(tracer: Tracer, loop: Loop) -> dict[str, str]:
    names: dict[str, str] = {}
    for slot in loop.slots:
        for tensor in (slot.next, slot.inside, slot.leaves):
            if tensor >= 0 and slot.name:
                for origin in tracer.origins(tensor):
                    names.setdefault(origin.card, slot.name)
    return names


def boxes(exploration: Exploration, snapshot: Snapshot) -> list[Box]:
    """A box for every loop, parents first."""
    flow = exploration.flow
    found = []
    for loop in sorted(snapshot.loops, key=lambda loop: loop.depth):
        title = loop_title(loop, exploration)
        line = place(snapshot.where(loop.stack))
        times = "" if "×" in title else trips(loop, exploration)
        spark, trend = spark_of(exploration, loop)
        hint = joined((title, loop.kind, trips(loop, exploration), line, loop.id, trend))
        texts = (title, joined((times, line)), _note(loop, flow), hint)
        found.append(Box(loop.id, loop.parent, loop.depth, loop.kind, *texts, spark, trend))
    return found


def _note(loop: Loop, flow: GradientFlow | None) -> str:
    inside = [b for b in (flow.barriers if flow else ()) if b.loop == loop.id or b.loop.startswith(loop.id + "/")]
    return "" if not inside else f"{len(inside)} barrier{'s' if len(inside) > 1 else ''}"


def marks(flow: GradientFlow | None) -> list[Mark]:
    """Barriers in words."""
    rows = flow.barriers if flow else ()
    return [Mark(row.id, cause(row), barrier_text(row), barrier_hint(row)) for row in rows]
