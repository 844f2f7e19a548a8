"""Links into and out of ops, the carried values of unrolled Python loops given chips of their own."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from explorer.layout.linking import Links, Origin, Tracer
from explorer.model.graph import Op


@dataclass(frozen=True)
class Arrival:
    """Data arriving at one input of a drawn op, from the op itself or one it stands for."""

    origin: Origin
    consumer: Op
    card: str
    place: int
    status: str
    barrier: str | None
    loop: str


@dataclass
class Carries:
    """Chips of Python loops: per loop the cards whose value the next iteration reads."""

    producers: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    readers: dict[tuple[str, int], list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))


def link_ops(tracer: Tracer, links: Links) -> Carries:
    """Add the links between ops; returns the chips that Python loops need."""
    arrivals = [arrival for op in tracer.snapshot.ops for arrival in _arrivals(tracer, op)]
    carries = Carries()
    for arrival in arrivals:
        if arrival.loop and arrival.origin.op >= 0:
            status = carries.producers[arrival.loop].get(arrival.origin.card)
            carries.producers[arrival.loop][arrival.origin.card] = (
                arrival.status if status is None or arrival.status == "flows" else status
            )
            pair = (arrival.loop, arrival.origin.card)
            if pair not in carries.readers[arrival.card, arrival.place]:
                carries.readers[arrival.card, arrival.place].append(pair)
    for arrival in arrivals:
        _link(tracer, links, carries, arrival)
    for loop, producers in carries.producers.items():
        for card, status in producers.items():
            links.add(card, f"next:{loop}#{card}", status)
            links.add(f"next:{loop}#{card}", f"slot:{loop}#{card}", status, None, loop)
    return carries


def _arrivals(tracer: Tracer, op: Op) -> list[Arrival]:
    drawn = tracer.drawn(op)
    if drawn is None:
        return []
    found = []
    for place, tensor in enumerate(op.inputs):
        barrier = tracer.passing.barrier(op, place)
        if tensor not in tracer.data.fed and barrier is None:
            continue
        into = tracer.passing.into(op, place)
        for origin in tracer.origins(tensor):
            status = origin.status if into == "flows" else into
            between = ""
            if origin.op >= 0:
                between = tracer.turns.between(tracer.snapshot.ops[origin.op], op)
            found.append(Arrival(origin, op, f"op:{drawn}", place, status, barrier.id if barrier else None, between))
    return found


def _link(tracer: Tracer, links: Links, carries: Carries, arrival: Arrival) -> None:
    start = arrival.origin.card
    if arrival.loop:
        links.add(f"slot:{arrival.loop}#{start}", arrival.card, arrival.status, arrival.barrier)
        return
    producer_loop = _loop_of(tracer, arrival.origin)
    for loop, card in carries.readers.get((arrival.card, arrival.place), ()):
        if tracer.turns.leaves(loop, producer_loop):  # the first iteration's value comes from outside: through the chip
            links.add(start, f"slot:{loop}#{card}", arrival.status)
            links.add(f"slot:{loop}#{card}", arrival.card, arrival.status, arrival.barrier)
            return
    links.add(_last_side(tracer, carries, arrival), arrival.card, arrival.status, arrival.barrier)


def _last_side(tracer: Tracer, carries: Carries, arrival: Arrival) -> str:
    """A carried value read after its loop leaves from the chip at the bottom."""
    card = arrival.origin.card
    for loop, producers in carries.producers.items():
        if card in producers and tracer.turns.leaves(loop, arrival.consumer.loop):
            return f"next:{loop}#{card}"
    return card


def _loop_of(tracer: Tracer, origin: Origin) -> str:
    if origin.op >= 0:
        return tracer.snapshot.ops[origin.op].loop
    kind, _, rest = origin.card.partition(":")
    return "" if kind == "source" else rest.rpartition("#")[0]
