"""Mistakes that can be put into a sample model, to see what the explorer says: one row per breaker."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.model.case import BadInput
from explorer.strategies.wording import unknown


@dataclass(frozen=True)
class Breaker:
    """A mistake. ``mistake`` is the line that people write, with ``{h}`` for the value it damages."""

    key: str
    title: str
    mistake: str
    instead: str
    cause: str


BREAKERS: tuple[Breaker, ...] = (
    Breaker(
        key="stop_gradient",
        title="tf.stop_gradient on the path",
        mistake="{h} = tf.stop_gradient({h})",
        instead="Use {h} as it is. To hold one branch fixed, apply tf.stop_gradient to that branch only, and keep a "
        "second path from the weights to the loss.",
        cause="stop_gradient",
    ),
    # The factor keeps three digits: a bare cast would round a cell's output, which lies between -1 and 1, to zero,
    # and the readout behind it would lose its gradient as well.
    Breaker(
        key="integer_cast",
        title="Cast to an integer and back",
        mistake="{h} = tf.cast(tf.cast(1000.0 * {h}, tf.int32), {h}.dtype) / 1000.0",
        instead="Stay in floating point: leave the cast out, or round in the forward pass only, with "
        "{h} + tf.stop_gradient(rounded - {h}).",
        cause="integer_dtype",
    ),
)


def find_breaker(key: str, owner: str = "") -> Breaker:
    """The row with this key; refuses an unknown one."""
    row = next((row for row in BREAKERS if row.key == key), None)
    if row is None:
        raise unknown("breaker", key, [row.key for row in BREAKERS], owner)
    return row


def split_breaker(text: str, places: tuple[str, ...], owner: str) -> tuple[Breaker, str]:
    """``KEY[@LOOP]`` as a row and a place; without a place, the first one of the strategy."""
    key, sign, place = (part.strip() for part in text.partition("@"))
    breaker = find_breaker(key, owner)
    if not places:
        raise BadInput(f"{owner} has no place for a breaker: leave --breaker {text} out.")
    if not sign:
        place = places[0]
    if place not in places:
        raise unknown("place", place, places, f"breaker {key} in {owner}")
    return breaker, place
