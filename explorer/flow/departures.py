"""Values that went to Python in eager code: they came back as constants, or decided something.

Python itself is not traced. What is known is where a tensor was read (``.numpy()``, ``bool()``), and which constants
TensorFlow met afterwards.
"""

from __future__ import annotations

from explorer.flow.explain import compares, leads_into
from explorer.flow.ledger import Ledger
from explorer.model.graph import Source

_DECIDES = ("bool()", "int()", "tf.cond", "tf.while_loop", "tf.switch_case")


def went_to_python(source: Source, ledger: Ledger) -> tuple[str, tuple[str, ...]] | None:
    """``(cause, barrier ids)`` where the source's data ended in Python; None where nothing tells so."""
    web = ledger.web
    if not web.snapshot.departures:
        return None
    reached = web.reach([source.tensor], forward=True, carrying=False)
    # A value that came back says more than one that decided something, as an early break in the same loop does.
    for departure in sorted(web.snapshot.departures, key=lambda departure: departure.how in _DECIDES):
        if departure.tensor not in reached:
            continue
        if departure.how in _DECIDES and source.tensor not in ledger.leads:
            before = [e for e in leads_into(web, source.tensor, departure.tensor, reached) if not compares(web, e)]
            noted = [*(ledger.note(e) for e in before), ledger.note_departure(departure, "condition_only")]
            return (before[0].cause or "opaque") if before else "condition_only", tuple(dict.fromkeys(noted))
        if departure.how not in _DECIDES and came_back(ledger, departure.tensor):
            return "left_tensorflow", (ledger.note_departure(departure, "left_tensorflow"),)
    return None


def came_back(ledger: Ledger, tensor: int) -> bool:
    """Whether a float constant that eager code met after ``tensor`` was made leads to the loss.

    What ``tf.zeros`` and ``tf.ones`` fill their result with is a constant of TensorFlow's own.
    """
    web, snapshot = ledger.web, ledger.web.snapshot
    producer = snapshot.tensors[tensor].op
    return any(
        t.id in ledger.leads
        and t.trainable
        and t.op > producer
        and snapshot.ops[t.op].type == "Const"
        and any(snapshot.ops[web.edges[number].op].type != "Fill" for number in web.out_of[t.id])
        for t in snapshot.tensors
    )
