"""Finds the guard that float16 has rounded away: ``p + 1e-8``, a clip to ``1 - 1e-7``, ``maximum(p, 1e-8)``."""

from __future__ import annotations

import ast
import linecache
from collections import deque
from collections.abc import Callable

import numpy as np
import tensorflow as tf

from explorer.engine.number_paths import NumberPaths
from explorer.engine.number_sites import GUARDS, Site

_SECOND = frozenset({"RealDiv", "Div", "Xdivy", "FloorDiv", "FloorMod", "Mod", "TruncateDiv"})  # the divisor
_STEPS = 5
# What may stand between the guard and the logarithm, division or root: nothing that makes numbers of its own.
_THROUGH = GUARDS | frozenset(
    "Mul Neg Cast Identity Sqrt Rsqrt Square Abs Reshape ExpandDims Squeeze BroadcastTo Tile Sum Mean Prod Enter Exit "
    "StridedSlice GatherV2 Transpose Pow ConcatV2 Pack Relu Log1p Exp".split()
)
_ABSORBED = 2.0**-12  # added to a number near 1, float16 gives that number again
_TOO_SMALL = 1 / 65504  # dividing 1 by less is more than float16 holds


def guard_rounded_away(paths: NumberPaths, site: Site) -> Site | None:
    """The nearest op before ``site``'s argument (or divisor) whose constant bound is 0 or 1 in float16."""
    return _nearest(paths, site, _rounded_away)


def guard_too_small(paths: NumberPaths, site: Site) -> Site | None:
    """The nearest op before ``site``'s argument (or divisor) that keeps it off zero, but by too little."""
    return _nearest(paths, site, lambda guard, known: any(0 < abs(v) < _TOO_SMALL for v in known))


def _nearest(paths: NumberPaths, site: Site, useless: Callable[[Site, list[float]], bool]) -> Site | None:
    place = 1 if site.type in _SECOND else 0
    if len(site.inputs) <= place:
        return None
    waiting, seen = deque([(site.inputs[place], 0)]), {site.inputs[place]}
    while waiting:
        key, steps = waiting.popleft()
        maker = paths.maker(key)
        before = paths.entering(key) if maker is None else ()
        if maker is not None and maker.dtype in ("float16", "") and maker.type in _THROUGH:
            if maker.type in GUARDS and useless(maker, _constants(paths, maker)):
                return maker
            before = maker.inputs if steps < _STEPS else ()
        fresh = [k for k in before if k not in seen]
        seen.update(fresh)
        waiting.extend((k, steps + 1) for k in fresh)
    return None


def _rounded_away(guard: Site, known: list[float]) -> bool:
    if guard.type in ("AddV2", "Add", "Sub"):
        return any(abs(v) < _ABSORBED for v in known)
    return any(v in (0.0, 1.0) and not _written(guard, v) for v in known)


def _written(guard: Site, value: float) -> bool:
    """Whether the bound stands there as it is: nothing was rounded."""
    place = guard.stack[0] if guard.stack else None
    try:
        tree = ast.parse("".join(linecache.getlines(place.file))) if place else ast.Module([], [])
    except SyntaxError:  # the file has changed since: the number counts as rounded
        return False
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call))
    here = (c for c in calls if place and c.lineno <= place.line <= (c.end_lineno or c.lineno))
    given = (a for c in here for a in (*c.args, *(k.value for k in c.keywords)))
    return any(isinstance(a, ast.Constant) and isinstance(a.value, int | float) and a.value == value for a in given)


def _constants(paths: NumberPaths, guard: Site) -> list[float]:
    """The constant inputs of an op; none where all are."""
    values = [_constant(paths, guard, place) for place in range(len(guard.inputs))]
    known = [v for v in values if v is not None]
    return known if len(known) < len(values) else []


def _constant(paths: NumberPaths, guard: Site, place: int) -> float | None:
    """A constant input of an op, as float16 holds it."""
    if guard.op is None:
        return guard.scalars.get(place)
    key = guard.inputs[place]
    for _ in range(_STEPS):
        maker = paths.maker(key)
        if maker is not None and maker.type not in ("Cast", "Identity", "Enter"):
            value = None if maker.type != "Const" else tf.get_static_value(maker.op.outputs[0])
            numbers = np.unique(np.ravel([] if value is None else value))
            return float(np.float16(numbers[0])) if numbers.size == 1 else None
        before = paths.entering(key) if maker is None else maker.inputs[:1]
        if len(before) != 1:
            return None
        key = before[0]
    return None
