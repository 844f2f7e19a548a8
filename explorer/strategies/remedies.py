"""Known changes of a case that give a lost gradient back: one function per kind, each offered for a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from explorer.model.case import BadInput, Case
from explorer.model.verdict import Exploration
from explorer.strategies.breakers import REPAIRED, find_breaker
from explorer.strategies.catalogue import find_strategy
from explorer.strategies.parse import DEFAULTS, make_case
from explorer.strategies.shapes import dims_text
from explorer.strategies.strategy import INPUT

_TF2_TWINS = {
    "tf1_nested_while_loop": "nested_while_loop",
}
"""What to port a TF1 model to; map_fn over a Keras RNN where nothing is said."""
_PORTED = "map_fn_keras_rnn"
_BOUNDED = "xla_nested_while_loop"
_BAD_SIZE = ("exploding", "vanishing", "nan", "inf", "zero")


@dataclass(frozen=True)
class Remedy:
    """A change to try. ``label`` says what it does, ``reason`` why it helps, ``case`` is the changed case."""

    key: str
    label: str
    reason: str
    case: Case


def remedies(exploration: Exploration) -> tuple[Remedy, ...]:
    """Those that are known to help here, the smallest change first; none where nothing is lost.

    What has to be changed in the text of a user's own model is for its author: only the case can be changed here.
    """
    return tuple(remedy for find in _KINDS for remedy in find(exploration))


def in_strategy(case: Case, key: str, sized: bool = False) -> Case:
    """The same problem in another strategy; raises BadInput where that one does not take its shape or options.

    ``sized`` fixes every dimension at the size of the run.
    """
    given = case.inputs[0]
    return make_case(
        key,
        inputs=[f"{INPUT}={dims_text((given.size if sized else given.shape) or ())}"],
        sizes=[f"{INPUT}={dims_text(given.size or ())}"],
        options=_options(case, key),
        breaker=case.breaker,
        wrt=case.wrt,
        device=case.device,
        seed=case.seed,
        timeout=case.timeout,
        memory=case.memory,
    )


def _options(case: Case, key: str) -> list[str]:
    """The options without those at their usual value: every strategy has that anyway."""
    row = find_strategy(case.target)
    usual = {option.key: option.default for option in row.options} if row else {}
    return [f"{name}={value}" for name, value in case.options if usual.get(name) != value]


def _repaired(exploration: Exploration) -> Iterator[Remedy]:
    case = exploration.case
    key, _, place = (case.breaker or "").partition("@")
    row = find_breaker(key) if key and not key.endswith(REPAIRED) else None
    if row is not None and row.repair:
        line = row.repair.format(h=row.damaged)
        changed = replace(case, breaker=f"{key}{REPAIRED}@{place}")
        yield Remedy(
            "repair", "Write the repaired line", f"`{line}` in its place: {row.instead.format(h='h')}", changed
        )


def _dropped(exploration: Exploration) -> Iterator[Remedy]:
    breaker = exploration.case.breaker
    if breaker and REPAIRED not in breaker:
        words = find_breaker(breaker.partition("@")[0]).title_in_case
        yield Remedy("drop", f"Run without {words}", "The line is left out.", replace(exploration.case, breaker=None))


def _without_xla(exploration: Exploration) -> Iterator[Remedy]:
    case = exploration.case
    if exploration.way != "xla" or not _failed(exploration):
        return
    if find_strategy(case.target) is not None and case.target != _BOUNDED:
        reason = "There both loops have maximum_iterations and the input has a static shape, as XLA wants."
        yield from _moved(case, _BOUNDED, "Bound the loops", reason, sized=True)
    yield Remedy("graph", "Run without XLA", "The same graph, run op by op.", replace(case, way="graph"))


def _static(exploration: Exploration) -> Iterator[Remedy]:
    """Sizes in place of None, where a compiler or an op of the backward pass needs to know them."""
    case, failure = exploration.case, exploration.failure
    open_dims = [spec for spec in case.inputs if spec.shape is not None and None in spec.shape and spec.size]
    text = f"{failure.message} {failure.hint}" if failure else ""
    if open_dims and any(word in text for word in ("partially known", "unknown TensorShape", "unknown Dimension")):
        specs = tuple(replace(spec, shape=spec.size) if spec in open_dims else spec for spec in case.inputs)
        yield Remedy("static", "Fix the sizes", "No dimension is None.", replace(case, inputs=specs))


def _other_strategy(exploration: Exploration) -> Iterator[Remedy]:
    case, order = exploration.case, exploration.second_order
    row = find_strategy(case.target)
    if row is None:
        return
    fresh = exploration.flow is not None and any(risk.cause == "fresh_weights" for risk in exploration.flow.risks)
    if case.target == "fresh_layer_per_element" or fresh:
        yield from _moved(case, _PORTED, "Make the layer once", "All elements share one layer, and it is trained.")
    elif row.way == "tf1" and order is not None and order.failure is not None:
        twin = _TF2_TWINS.get(case.target, _PORTED)
        reason = "TF2's while loops can be differentiated twice."
        yield from _moved(replace(case, way=None), twin, "Port to TF2", reason, second_order=True)
    elif case.target in ("vectorized_map", "time_distributed") and exploration.outcome == "raised":
        yield from _moved(case, _PORTED, "Use map_fn", "A real loop takes open dimensions.")


def _moved(
    case: Case, key: str, words: str, reason: str, sized: bool = False, second_order: bool = False
) -> Iterator[Remedy]:
    row = find_strategy(key)
    try:
        changed = replace(in_strategy(case, key, sized), second_order=second_order)
    except BadInput:  # that strategy does not take this shape or option: then it is no remedy
        return
    if row is not None:
        yield Remedy(key, f"{words}: {row.title}", reason, changed)


def _scaled(exploration: Exploration) -> Iterator[Remedy]:
    case = exploration.case
    row = find_strategy(case.target)
    usual = next((option.default for option in row.options if option.key == "scale"), None) if row else None
    scale = dict(case.options).get("scale")
    if scale == usual or usual is None or not any(c.status in _BAD_SIZE for c in exploration.conclusions):
        return
    options = tuple((name, usual if name == "scale" else value) for name, value in case.options)
    reason = "Recurrent weights of usual size keep the gradient's size from iteration to iteration."
    yield Remedy("scale", f"Recurrent scale {usual:g} in place of {scale:g}", reason, replace(case, options=options))


def _longer(exploration: Exploration) -> Iterator[Remedy]:
    case = exploration.case
    if exploration.outcome == "timed_out" and case.timeout < DEFAULTS.timeout:
        reason = f"{case.timeout:g} s were not enough for it to end."
        changed = replace(case, timeout=DEFAULTS.timeout)
        yield Remedy("longer", f"Give it {DEFAULTS.timeout:g} seconds", reason, changed)


def _failed(exploration: Exploration) -> bool:
    return exploration.outcome in ("raised", "crashed", "timed_out", "out_of_memory") or any(
        c.status in ("none-blocked", "none-disconnected", "zero-blocked", "nan", "inf", "raised")
        for c in exploration.conclusions
    )


_KINDS: tuple[Callable[[Exploration], Iterator[Remedy]], ...] = (
    _repaired, _dropped, _scaled, _static, _other_strategy, _without_xla, _longer,
)  # fmt: skip
