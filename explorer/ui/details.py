"""Beside the picture: everything about what is selected; the first barrier where nothing is."""

from __future__ import annotations

from html import escape

import streamlit as st

from explorer.codec.document import slot_gradient
from explorer.layout.values import Nest, PlacedCard, Scene
from explorer.model.graph import Loop, Op, Snapshot
from explorer.model.probes import Probe
from explorer.model.verdict import Barrier, Exploration
from explorer.rules.causes import title_of
from explorer.rules.palette import ThemeName
from explorer.rules.sentence import loop_words, place
from explorer.rules.watched import main_probe, probes_of, trend_of
from explorer.ui import code, numbers, remedy, tables, view


def effective(exploration: Exploration, nest: Nest, selected: str) -> str:
    """The selected id where the picture has it, else the first barrier's or the first bad number's op, else nothing."""
    known = {card.id for card in nest.cards} | {f"loop:{box.id}" for box in nest.boxes}
    barriers = _barriers(exploration)
    known |= {f"barrier:{barrier.id}" for barrier in barriers}
    if selected in known:
        return selected
    if barriers:
        return f"barrier:{barriers[0].id}"
    return next(filter(None, (numbers.card_of(exploration, nest, bad) for bad in exploration.numerics)), "")


def show(exploration: Exploration, placed: Scene, selected: str, theme: ThemeName) -> None:
    """The panel."""
    snapshot = exploration.snapshot
    if snapshot is None:
        return
    kind, _, rest = selected.partition(":")
    card = next((card for card in placed.cards if card.id == selected), None)
    loop = snapshot.loop(rest) if kind == "loop" else None
    if card is not None and card.barrier is not None:
        kind, rest = "barrier", card.barrier
    if kind == "barrier":
        _barrier(exploration, next(b for b in _barriers(exploration) if b.id == rest))
    elif loop is not None:
        _loop(exploration, snapshot, loop, theme)
    elif kind == "source":
        _source(exploration, snapshot, rest, theme)
    elif kind in ("slot", "next") and rest.rpartition("#")[2].isdigit():
        _slot(exploration, snapshot, rest, kind, theme)
    elif kind == "op":
        _op(exploration, snapshot, int(rest), card, theme)
    elif card is not None:
        _other(card, theme)
    else:
        _overview(exploration, snapshot, theme)


def _overview(exploration: Exploration, snapshot: Snapshot, theme: ThemeName) -> None:
    """While nothing is selected: how often each loop ran, and whether each source is reached."""
    said = {row.source: row.status for row in exploration.conclusions}
    rows = [[escape(source.name), tables.status(said.get(source.name), theme)] for source in snapshot.sources]
    st.html(tables.table(["source", "gradient"], rows))
    loops = [
        [
            f"<span style='padding-left:{loop.depth - 1}em'>{escape(loop.api)}</span>",
            tables.trips(exploration.trips.get(loop.id, loop.runs)) or tables.UNKNOWN,
        ]
        for loop in sorted(snapshot.loops, key=lambda loop: loop.id)
    ]
    if loops:
        st.html(tables.table(["loop", "iterations"], loops))
    st.caption("Click a loop, an op, a loop variable or an input in the picture to see its details.")


def _barriers(exploration: Exploration) -> tuple[Barrier, ...]:
    return exploration.flow.barriers if exploration.flow else ()


def _head(kind: str, name: str) -> None:
    st.html(f"<div style='opacity:.72;font-size:.82rem'>{escape(kind)}</div>"
            f"<div style='font-size:1.08rem;font-weight:600;overflow-wrap:anywhere'>{escape(name)}</div>")  # fmt: skip


def _barrier(exploration: Exploration, barrier: Barrier) -> None:
    title = title_of(barrier.cause)
    _head("Barrier: the gradient stops here", barrier.op_type)
    st.error(tables.sentence(title), icon=":material/block:")
    _why(f"barrier:{barrier.id}", "The path it cuts")
    code.excerpt(exploration, barrier.location, code.Note(barrier.cause))
    st.html(f"<div class='small'><b>Instead</b><br>{escape(barrier.remedy)}</div>")
    remedy.offer(exploration)
    flow = exploration.flow
    behind = [row.source for row in flow.predictions if barrier.id in row.barriers] if flow else []
    where = "loop condition" if barrier.input < 0 else f"input {barrier.input} of {barrier.op_name}"
    st.html(
        tables.facts(
            [
                ("cuts off", escape(", ".join(behind))),
                ("line", tables.line(barrier.location)),
                ("loop", escape(_loop_name(exploration.snapshot, barrier.loop))),
                ("op", escape(where)),
                ("cause", f"<code>{escape(barrier.cause)}</code>"),
                ("TensorFlow", "raises an error" if barrier.loud else "says nothing"),
                ("met", f"{barrier.count} times" if barrier.count > 1 else ""),
                ("evidence", escape(barrier.evidence)),
            ]
        )
    )


def _why(identity: str, question: str) -> None:
    lit = view.asked_why() == identity
    st.button(
        "Show everything again" if lit else question, key="why it is so", icon=":material/conversion_path:",
        on_click=view.toggle_why, args=(identity,), help="Dims everything that is not on the way; a click on the "
        "source's card does the same.",
    )  # fmt: skip


def _loop_name(snapshot: Snapshot | None, loop: str) -> str:
    return f"{loop_words(snapshot, loop)} ({loop})" if loop else "outside all loops"


def _loop(exploration: Exploration, snapshot: Snapshot, loop: Loop, theme: ThemeName) -> None:
    _head(f"Loop of depth {loop.depth}", loop.api)
    where = snapshot.where(loop.stack)
    is_folded = loop.id in view.folded()
    st.button(
        "Unfold" if is_folded else "Fold", key="fold", on_click=view.fold, args=(loop.id,),
        icon=":material/unfold_more:" if is_folded else ":material/unfold_less:",
        help="Draw the loop as one card, or open it again.",
    )  # fmt: skip
    runs = exploration.trips.get(loop.id, loop.runs)
    st.html(
        tables.facts(
            [
                ("iterations", tables.trips(runs)),
                ("known before", tables.said(loop.trips_static)),
                ("at most", tables.said(loop.maximum_iterations)),
                ("in parallel", tables.said(loop.parallel_iterations)),
                ("kind", escape(loop.kind)),
                ("by iteration", escape(_trend(exploration, main_probe(exploration, loop.id)))),
                ("line", tables.line(where)),
                ("id", escape(loop.id)),
                ("inside", escape(loop.parent or "")),
            ]
        )
    )
    code.excerpt(exploration, where, code.Note(look="here"), 1)
    if not loop.slots:
        return
    st.html("<b>Loop variables</b>")
    rows = [
        [
            f"{escape(slot.name)}<br><span style='opacity:.72'>{escape(slot.role)}</span>",
            f"{escape(slot.dtype)}<br>{escape(tables.shape(slot.shape))}",
            tables.status(slot_gradient(snapshot, exploration.flow, slot), theme),
        ]
        for slot in loop.slots
    ]
    st.html(tables.table(["name, role", "type, shape", "gradient"], rows))


def _source(exploration: Exploration, snapshot: Snapshot, name: str, theme: ThemeName) -> None:
    source = next(source for source in snapshot.sources if source.name == name)
    said = {row.source: row for row in exploration.conclusions}.get(name)
    flow, run = exploration.flow, exploration.run
    prediction = {row.source: row for row in flow.predictions}.get(name) if flow else None
    measured = {row.source: row for row in run.measurements}.get(name) if run else None
    barriers = [barrier for barrier in _barriers(exploration) if prediction and barrier.id in prediction.barriers]
    _head("Input" if source.kind == "input" else "Variable", name)
    missing = prediction is not None and prediction.predicted in ("none-blocked", "none-disconnected")
    _why(f"source:{name}", "Why is this None?" if missing else "Its way to the loss")
    st.html(
        tables.facts(
            [
                ("gradient", tables.status(said.status if said else None, theme)),
                ("why", escape(said.why) if said else ""),
                ("predicted", tables.said(prediction and prediction.predicted)),
                ("measured", tables.said(measured and measured.measured)),
                ("norm", tables.number(measured.norm) if measured else ""),
                ("type", escape(source.dtype)),
                ("shape", escape(tables.shape(source.shape))),
                ("line", tables.line(source.location)),
            ]
        )
    )
    for barrier in barriers:
        st.button(
            f"Cut at {barrier.op_type}, {place(barrier.location)}", key=f"to {barrier.id}", icon=":material/block:",
            on_click=view.select, args=(f"barrier:{barrier.id}",),
        )  # fmt: skip
    code.excerpt(exploration, source.location, code.Note(look="here"), 1)


def _slot(exploration: Exploration, snapshot: Snapshot, identity: str, kind: str, theme: ThemeName) -> None:
    loop_id, _, index = identity.rpartition("#")
    loop = snapshot.loop(loop_id)
    slot = next((slot for slot in loop.slots if slot.index == int(index)), None) if loop else None
    if loop is None or slot is None:
        return
    probe = next((p for p in probes_of(exploration, loop.id, "backward") if p.slot == slot.index), None)
    _head("Loop variable" if kind == "slot" else "Loop variable, its value for the next iteration", slot.name)
    st.html(
        tables.facts(
            [
                ("gradient", tables.status(slot_gradient(snapshot, exploration.flow, slot), theme)),
                ("by iteration", escape(_trend(exploration, probe))),
                ("role", escape(slot.role)),
                ("type", escape(slot.dtype)),
                ("shape", escape(tables.shape(slot.shape))),
                ("loop", escape(_loop_name(snapshot, loop.id))),
                ("line", tables.line(snapshot.where(loop.stack))),
            ]
        )
    )


def _trend(exploration: Exploration, probe: Probe | None) -> str:
    return trend_of(exploration, probe).sentence if probe else ""


def _watch(exploration: Exploration, snapshot: Snapshot, op: Op) -> None:
    """A button that has the next run watch an op of a loop's body."""
    if not op.loop or not any(snapshot.tensors[tensor].trainable for tensor in op.outputs):
        return
    asked = op.name in st.session_state.get("probe_ops", ())
    known = op.name in exploration.case.probe_ops
    st.button(
        "Watched from the next run on" if asked and not known else "Watched" if asked else "Watch its iterations",
        key="watch", icon=":material/monitoring:", disabled=asked, on_click=_ask_to_watch, args=(op.name,),
        help="Adds it to what is watched in the loop's iterations; press Run.",
    )  # fmt: skip


def _ask_to_watch(name: str) -> None:
    st.session_state["probe"] = True
    st.session_state["probe_ops"] = [*st.session_state.get("probe_ops", ()), name]


def _op(exploration: Exploration, snapshot: Snapshot, number: int, card: PlacedCard | None, theme: ThemeName) -> None:
    op = snapshot.ops[number]
    where = snapshot.where(op.stack)
    results = "<br>".join(
        escape(f"{snapshot.tensors[tensor].dtype} {tables.shape(snapshot.tensors[tensor].shape)}")
        for tensor in op.outputs
    )
    watched = next((p for p in exploration.probes if p.tensor in op.outputs and p.direction == "backward"), None)
    _head("Op", op.type)
    for bad in numbers.of_op(exploration, number):
        st.error(bad.sentence, icon=":material/function:")
    st.html(
        tables.facts(
            [
                ("gradient", tables.status(card.status, theme) if card else ""),
                ("name", escape(op.name)),
                ("makes", results),
                ("by iteration", escape(_trend(exploration, watched))),
                ("loop", escape(_loop_name(snapshot, op.loop))),
                ("iteration", escape(", ".join(map(str, op.turn)))),
                ("line", tables.line(where)),
            ]
        )
    )
    _watch(exploration, snapshot, op)
    code.excerpt(exploration, where, code.Note(look="here"))
    frames = snapshot.stacks[op.stack] if 0 <= op.stack < len(snapshot.stacks) else ()
    if len(frames) > 1:
        calls = [[escape(frame.function), tables.line(frame)] for frame in frames]
        st.html(tables.table(["called from", ""], calls))


def _other(card: PlacedCard, theme: ThemeName) -> None:
    words = {"run": "Several ops, folded into one card", "loss": "What is differentiated"}
    _head(words.get(card.kind, card.kind), card.lines[0])
    rows = [[escape(part)] for part in card.hint.split(" · ")]
    st.html(tables.facts([("gradient", tables.status(card.status, theme))]))
    st.html(tables.table(["ops" if card.kind == "run" else "details"], rows))
