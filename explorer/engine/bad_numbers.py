"""Finds the op at which NaN or Inf began, from another run in which every op is watched.

The verdict never comes from this run. Under XLA nothing can be watched, so the plain graph is run in its place, and
the sentence says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.engine import again
from explorer.engine.errors import useful_message
from explorer.engine.inputs import arrays
from explorer.engine.number_guards import guard_rounded_away, guard_too_small
from explorer.engine.number_paths import NumberPaths
from explorer.engine.number_sites import Report, Site
from explorer.engine.number_watch import NumberWatch
from explorer.engine.sessions import initialise
from explorer.engine.targets import Program
from explorer.model.case import Case, Way
from explorer.model.graph import Location, Snapshot
from explorer.model.verdict import BackwardRun, BadNumber
from explorer.rules.numbers import GUARD_ROUNDED_AWAY, GUARD_TOO_SMALL, NUMBER_CAUSES, Birth, Health, cause_of

v1 = tf.compat.v1
Load = Callable[[], Program]
_AT_ZERO = ("float16_underflow", "sqrt_at_zero", "norm_at_zero", "std_of_one_element")
_XLA_ONLY = (
    "NaN or Inf appears under XLA only; nothing can be watched there, and the plain graph has none. XLA orders 0 * inf "
    "differently: look for a tf.where whose branch not taken has an infinite slope (sqrt or log at zero)."
)
_LOST = (
    "NaN or Inf was measured, but a second run in which every op was watched had none: the program is not repeatable."
)
_UNSEEN = (
    "Where NaN or Inf began was not seen: it came out of an op that cannot be watched (inside vectorized_map, XLA)."
)


@dataclass(frozen=True)
class Found:
    """The bad numbers of a case; ``note`` says why there are none."""

    numbers: tuple[BadNumber, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class _Watched:
    """One watched run: keys of the tensors that ended bad."""

    paths: NumberPaths
    losses: tuple[int, ...]
    gradients: tuple[int, ...]


def is_bad(run: BackwardRun) -> bool:
    """Whether the verdict's run holds NaN or Inf."""
    loss = run.loss is not None and not math.isfinite(run.loss)
    return loss or any(m.measured in ("nan", "inf") for m in run.measurements)


def locate(case: Case, way: Way, load: Load, snapshot: Snapshot) -> Found:
    """Run the program again, watched, and name the first op of every bad number's way."""
    seen: list[str] = []
    try:
        watched = _in_session(case, load, seen) if way == "tf1" else _in_tf2(case, way, load, seen)
    except Exception as error:
        reason = useful_message(str(error))[:200]
        return Found(
            note=f"Where NaN or Inf began was not observed: the watched run raised {type(error).__name__}: {reason}"
        )
    if seen:
        return Found(tuple(_given(name, snapshot) for name in seen))
    if not (watched.losses or watched.gradients):
        return Found(note=_XLA_ONLY if way == "xla" else _LOST)
    numbers = _numbers(watched, way, snapshot)
    return Found(numbers, "" if numbers else _UNSEEN)


def _in_tf2(case: Case, way: Way, load: Load, seen: list[str]) -> _Watched:
    program = load()
    given = arrays(program.inputs, program.values, case.seed)
    seen += _bad_inputs(program, given)
    run = again.eagerly if way == "eager" else again.in_graph
    watch = NumberWatch()
    with watch.watching():
        answer = run(program, given, case, backward=watch.backward)
        watch.drain()
    seen += _bad_variables((s.name, s.live.numpy()) for s in answer.sources if s.kind == "variable")
    return _ended(watch, answer.losses, answer.loss_values, answer.gradients, answer.gradient_values)


def _in_session(case: Case, load: Load, seen: list[str]) -> _Watched:
    watch = NumberWatch()
    with tf.Graph().as_default():
        v1.set_random_seed(case.seed)
        program = load()
        given = arrays(program.inputs, program.values, case.seed)
        seen += _bad_inputs(program, given)
        with watch.watching():
            inputs, _, losses, gradients = again.in_session(program, case, backward=watch.backward)
        kept = [g for g in gradients if g is not None]
        queue = watch.queue()
        size = tf.raw_ops.QueueSizeV2(handle=queue)
        row = tf.raw_ops.QueueDequeueV2(handle=queue, component_types=[tf.float64])[0]
        with v1.Session() as session:
            initialise(session)
            feeds = {s.live: value for s, value in zip(inputs, given, strict=True)}
            loss_values, values = session.run([losses, kept], feeds)
            watch.take([session.run(row) for _ in range(session.run(size))])
    return _ended(watch, losses, loss_values, kept, values)


def _ended(
    watch: NumberWatch,
    losses: Sequence[Any],
    loss_values: Sequence[Any],
    gradients: Sequence[Any],
    values: Sequence[Any],
) -> _Watched:
    def bad(tensors: Sequence[Any], found: Sequence[Any]) -> tuple[int, ...]:
        pairs = zip(tensors, found, strict=True)
        return tuple(watch.key(_dense_part(t)) for t, value in pairs if value is not None and not _finite(value))

    return _Watched(NumberPaths(watch), bad(losses, loss_values), bad(gradients, values))


def _dense_part(tensor: Any) -> Any:
    return tensor.values if isinstance(tensor, tf.IndexedSlices) else tensor


def _finite(value: Any) -> bool:
    array = np.asarray(value)
    return array.dtype.kind in "OSUb" or bool(np.isfinite(array.astype(np.complex128)).all())


def _bad_inputs(program: Program, given: Sequence[np.ndarray]) -> list[str]:
    return [spec.name for spec, array in zip(program.inputs, given, strict=True) if not _finite(array)]


def _bad_variables(values: Any) -> list[str]:
    return [name for name, value in values if not _finite(value)]


def _given(name: str, snapshot: Snapshot) -> BadNumber:
    cause = NUMBER_CAUSES["input_not_finite"]
    sentence = f"`{name}` holds NaN or Inf before the program begins. {cause.remedy}"
    source = next((s for s in snapshot.sources if s.name == name), None)
    return BadNumber("nan", "forward", "", name, "", source.location if source else None, cause.key, sentence)


def _numbers(watched: _Watched, way: Way, snapshot: Snapshot) -> tuple[BadNumber, ...]:
    """One bad number per beginning; once the loss is bad, the gradients are bad because of it."""
    paths = watched.paths
    found: dict[int, BadNumber] = {}
    for key in watched.losses or watched.gradients:
        births = paths.births([key])
        # a call seen from outside is bad because of what is inside, which reported before
        births = [b for b in births if not paths.watch.sites[b.site].type.startswith("__")] or births
        births = [paths.forward_of(b) for b in births[:1]]
        if births and births[0].site not in found:
            found[births[0].site] = _told(paths, births[0], way, snapshot, bool(watched.losses))
        elif not births:
            found.update((s.number, _constant(s, way, snapshot)) for s in paths.constants([key])[:1])
    return tuple(found.values())


def _told(paths: NumberPaths, report: Report, way: Way, snapshot: Snapshot, loss_bad: bool) -> BadNumber:
    site = paths.watch.sites[report.site]
    forward = paths.watch.sites[site.forward] if site.backward and site.forward is not None else site
    birth = Birth(
        op=site.type,
        forward=forward.type,
        backward=site.backward,
        dtype=site.dtype,
        inputs=report.inputs[: len(site.inputs)],
        output=report.output,
        upstream=paths.upstream(forward),
        masked=not loss_bad and paths.masked(site),
    )
    made = "NaN" if report.output.nan else "Inf"
    what = site.type if site is forward else f"the gradient of {forward.type} ({site.type})"
    location, loop = _place(forward, snapshot)
    if location is None and site is not forward:
        location, _ = _place(site, snapshot)
    turn = forward.runs if way == "eager" else report.iteration
    cause = cause_of(birth)
    if birth.half and (guard := _useless_guard(paths, forward, cause)) is not None:
        at = f" in line {location.line}" if location else ""
        location = guard.layer.location if guard.layer else _place(guard, snapshot)[0] or location
        title, cause = (GUARD_ROUNDED_AWAY, "float16_underflow") if cause in _AT_ZERO else (GUARD_TOO_SMALL, cause)
        return _bad_number(made, site.backward, forward, what + at, location, loop, cause, turn, way, title)
    return _bad_number(made, site.backward, forward, what, location, loop, cause, turn, way)


def _useless_guard(paths: NumberPaths, site: Site, cause: str) -> Site | None:
    """The op that is to keep ``site``'s argument off zero, and does not in float16."""
    if cause in _AT_ZERO:
        return guard_rounded_away(paths, site)
    return guard_too_small(paths, site) if cause == "float16_overflow" else None


def _constant(site: Site, way: Way, snapshot: Snapshot) -> BadNumber:
    location, loop = _place(site, snapshot)
    birth = Birth("Const", "Const", False, site.dtype, (), Health(plus_inf=1), leaf=True)
    return _bad_number("Inf", False, site, "a constant", location, loop, cause_of(birth), -1, way)


def _bad_number(
    made: str,
    backward: bool,
    site: Site,
    what: str,
    location: Location | None,
    loop: str,
    cause: str,
    turn: int,
    way: Way,
    title: str = "",
) -> BadNumber:
    row = NUMBER_CAUSES[cause]
    counted = (
        f"when this line ran for the {turn + 1}. time" if way == "eager" else f"in iteration {turn} (counted from 0)"
    )
    first = f", {counted}" if loop and turn >= 0 else ""
    grows = f"; the {turn} before were finite, so it grows" if loop and turn > 0 and "overflow" in cause else ""
    seen = " Seen in the plain graph: nothing can be watched under XLA." if way == "xla" else ""
    phase = "backward" if backward else "forward"
    inside = ""
    if not title and (layer := site.layer) is not None:  # what it computes is chosen where the layer is made
        called = f", called in line {location.line}" if location else ""
        inside, location = f" inside the layer {layer.type} `{layer.name}`{called}", layer.location
    sentence = (
        f"{made} began in the {phase} pass at {what}{inside}{first}{grows}: {title or row.title}. {row.remedy}{seen}"
    )
    return BadNumber("nan" if made == "NaN" else "inf", phase, site.type, site.name, loop, location, cause, sentence)  # type: ignore[arg-type]


def _place(site: Site, snapshot: Snapshot) -> tuple[Location | None, str]:
    """The user's line, and the loop of the verdict's graph to which the op belongs."""
    location = site.stack[0] if site.stack else None
    alike = [op for op in snapshot.ops if op.type == site.type]
    here = [op for op in alike if _same_line(snapshot.where(op.stack), location)]
    named = [op for op in here or alike if op.name == site.name]
    # a layer made again gets another number: rnn_1/while/Exp
    named = named or [op for op in here if _unnumbered(op.name) == _unnumbered(site.name)]
    loops = {op.loop for op in named or here}
    if location is None and named:
        location = snapshot.where(named[0].stack)
    return location, loops.pop() if len(loops) == 1 else ""


def _unnumbered(name: str) -> str:
    return re.sub(r"(_\d+)+(?=/|$)", "", name)


def _same_line(one: Location | None, other: Location | None) -> bool:
    """The function's name may differ: AutoGraph renames lambdas."""
    return one is not None and other is not None and (one.file, one.line) == (other.file, other.line)
