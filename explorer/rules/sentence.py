"""The verdict in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from explorer.model.graph import Location, Snapshot
from explorer.model.verdict import Barrier, Exploration, Failure, Prediction, Risk
from explorer.rules.causes import CAUSES
from explorer.rules.endless import suspect

_ENDINGS = {
    "crashed": "The process crashed",
    "timed_out": "The time limit was reached",
    "out_of_memory": "The memory limit was reached",
    "cancelled": "Cancelled",
}
_GOOD = ("flows", "zero", "vanishing", "exploding")
_BAD_NUMBERS = {"nan": "NaN", "inf": "infinite", "zero": "exactly zero", "vanishing": "vanishing",
                "exploding": "exploding"}  # fmt: skip


def verdict(exploration: Exploration) -> str:
    """What happened to the gradient, in one sentence (two where something ended early)."""
    flow = exploration.flow
    if flow is None or not (exploration.snapshot is None or exploration.snapshot.complete):
        return _without_flow(exploration)
    trainable = [p for p in flow.predictions if p.predicted != "not-trainable"]
    if not trainable:
        return "There is nothing to differentiate: no input or variable of floating point type."
    reached = _reached(exploration) if exploration.conclusions else _not_measured(exploration, len(trainable))
    return " ".join(part for part in (reached, *_fresh(exploration), _ending(exploration)) if part)


def plain_verdict(exploration: Exploration) -> str:
    """The verdict for where no code marks are wanted: pictures, tables, a terminal."""
    return verdict(exploration).replace("`", "")


def place(location: Location | None) -> str:
    """``model.py:12``; empty where no line of the user's is known."""
    return f"{PurePath(location.file).name}:{location.line}" if location else ""


def loop_words(snapshot: Snapshot | None, loop_id: str) -> str:
    """``inner loop`` for the deepest of several, ``outer loop`` for the outermost, ``loop`` for the only one."""
    loop = snapshot.loop(loop_id) if snapshot else None
    if snapshot is None or not snapshot.loops:
        return ""
    if loop is None:
        return "outside all loops"
    deepest = max(known.depth for known in snapshot.loops)
    if deepest == 1:
        return "in the loop"
    if loop.depth == deepest:
        return "inner loop"
    return "outer loop" if loop.depth == 1 else f"loop of depth {loop.depth}"


def _without_flow(exploration: Exploration) -> str:
    if exploration.failure:
        at = place(exploration.failure.location)
        return told(exploration.failure) + (f" ({at})" if at else "")
    return _ENDINGS.get(exploration.outcome or "", "Working") + "."


def fresh_weights(exploration: Exploration) -> list[Risk]:
    """Where variables are made anew on every call: a gradient reaches them, and nobody trains them."""
    return [risk for risk in exploration.flow.risks if risk.cause == "fresh_weights"] if exploration.flow else []


def _fresh(exploration: Exploration) -> list[str]:
    lines = dict.fromkeys(place(risk.location) or "an unknown line" for risk in fresh_weights(exploration))
    return [f"But weights are made anew at {listed(list(lines))} on every call, so none of them is trained."] * bool(
        lines
    )


def _reached(exploration: Exploration) -> str:
    status = {c.source: c.status for c in exploration.conclusions if c.status != "not-trainable"}
    total = len(status)
    if set(status.values()) <= {"unobserved", "raised"}:
        return _not_measured(exploration, total)
    good = [name for name, s in status.items() if s in _GOOD]
    bad = [name for name, s in status.items() if s not in _GOOD]
    if not bad:
        numbers = [f"`{n}` is {_BAD_NUMBERS[s]}" for n, s in status.items() if s in _BAD_NUMBERS]
        which = "the only source" if total == 1 else f"all {total} sources"
        return f"Gradient reaches {which}" + (f", but {listed(numbers)}." if numbers else ".")
    start = f"Gradient reaches {len(good)} of {total} sources"
    return f"{start}; {_reason(exploration, bad, status)}."


def _not_measured(exploration: Exploration, total: int) -> str:
    """Nothing came back: say what is predicted, and why it was not measured."""
    assert exploration.flow is not None
    predicted = sum(p.predicted == "flows" for p in exploration.flow.predictions)
    loud = next((b for b in exploration.flow.barriers if b.loud), None)
    if loud is not None:
        at = ", ".join(p for p in (place(loud.location), loop_words(exploration.snapshot, loud.loop)) if p)
        return f"The backward pass raises at {loud.op_type}, {at}: {CAUSES[loud.cause].title}."
    which = "the only source" if total == 1 else f"{predicted} of {total} sources"
    if total > 1 and predicted == total:
        which = f"all {total} sources"
    if exploration.failure is None:
        return f"The gradient is predicted to reach {which}; it has not been measured."
    at = place(exploration.failure.location)
    whole = " although its path is whole" if predicted == total else ""
    return f"TensorFlow did not deliver the gradient{whole}{f' ({at})' if at else ''}:"


def told(failure: Failure) -> str:
    """The message and what it means, as sentences."""
    message = failure.message if failure.message.endswith((".", "!", "?")) else failure.message + "."
    return f"{message} {failure.hint}".strip()


def _reason(exploration: Exploration, bad: list[str], status: Mapping[str, str]) -> str:
    assert exploration.flow is not None
    predictions = {p.source: p for p in exploration.flow.predictions}
    barriers = {b.id: b for b in exploration.flow.barriers}
    first = predictions[bad[0]]
    same = [n for n in bad if predictions[n].barriers == first.barriers and status[n] == status[bad[0]]]
    names = listed([f"`{name}`" for name in same]) + (" is" if len(same) == 1 else " are")
    rest = len(bad) - len(same)
    also = f" ({rest} more: see the table)" if rest else ""
    return f"{names} {_what(exploration, first, status[bad[0]], barriers)}{also}"


def _what(exploration: Exploration, prediction: Prediction, status: str, barriers: dict[str, Barrier]) -> str:
    if status in _BAD_NUMBERS:
        return _BAD_NUMBERS[status]
    if status == "unobserved":
        return "not observed"
    barrier = barriers.get(prediction.barriers[0]) if prediction.barriers else None
    if barrier is None:
        return _unconnected(exploration, prediction, status)
    at = ", ".join(p for p in (place(barrier.location), loop_words(exploration.snapshot, barrier.loop)) if p)
    if status == "raised":
        return f"lost: the backward pass raises at {barrier.op_type} ({at})"
    if barrier.cause == "not_watched" and barrier.op < 0:
        return f"not watched by the tape ({at})"
    if barrier.op < 0:
        return f"a constant to the function: copied before it ran ({at})"
    hidden = " (TensorFlow answers zero, not None)" if status == "zero-blocked" else ""
    return f"cut at {barrier.op_type}, {at}{hidden}"


def _unconnected(exploration: Exploration, prediction: Prediction, status: str) -> str:
    if status == "raised":
        return "not told, because the backward pass raises"
    sources = exploration.snapshot.sources if exploration.snapshot else ()
    made = next((s.location for s in sources if s.name == prediction.source), None)
    why = f": {CAUSES[prediction.cause].title}" if prediction.cause in CAUSES else ""
    return f"not connected to the loss{why}" + (f" (made at {place(made)})" if made else "")


def _ending(exploration: Exploration) -> str:
    if exploration.outcome in ("done", None):
        return ""
    failure = exploration.failure
    if failure is None:
        return _ENDINGS.get(exploration.outcome, "") + "."
    suspects = _suspects(exploration) if exploration.outcome == "timed_out" else ""
    return f"{told(failure)} {suspects}".strip()


def _suspects(exploration: Exploration) -> str:
    """The loop that never ends, or the one that nothing bounds."""
    loop = suspect(exploration)
    if loop is None or exploration.snapshot is None:
        return ""
    at = place(exploration.snapshot.where(loop.stack))
    risks = exploration.flow.risks if exploration.flow else ()
    why = next((r.sentence for r in risks if r.cause == "endless_loop" and r.loop == loop.id), None)
    return f"Loop {loop.id} ({at}): {why or 'nothing bounds its iterations.'}"


def listed(names: list[str]) -> str:
    """``x, w and 3 more``."""
    if len(names) < 2:
        return "".join(names)
    shown = names[:4] + ([f"{len(names) - 4} more"] if len(names) > 4 else [])
    return ", ".join(shown[:-1]) + " and " + shown[-1]
