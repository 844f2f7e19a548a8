"""Words into a sweep: one dimension of the input at several sizes."""

from __future__ import annotations

from explorer.model.case import BadInput
from explorer.model.comparison import Sweep

DIMS = ("outer", "batch", "time")
_LARGEST = 10**6


def make_sweep(dim: str, sizes: str) -> Sweep:
    """``("time", "2, 8, 32")`` as a sweep; refuses anything else with one sentence."""
    numbers = [part.strip() for part in sizes.split(",")]
    if dim not in DIMS:
        raise BadInput(f"Cannot sweep {dim!r}: write one of {', '.join(DIMS)} with sizes, as in time=2,8,32.")
    if not all(part.isdecimal() and len(part) < 8 and 0 < int(part) <= _LARGEST for part in numbers):
        raise BadInput(f"Cannot time at the sizes {sizes!r}: write whole numbers, as in 2,8,32.")
    return Sweep(dim, tuple(dict.fromkeys(map(int, numbers))))
