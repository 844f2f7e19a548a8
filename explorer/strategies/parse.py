"""From raw words, as typed on a command line or into the app, to a validated Case; or one sentence of refusal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import cast, get_args

from explorer.model.case import WAYS, BadInput, Case, Device, InputSpec, OptionValue, Way
from explorer.strategies.breakers import split_breaker
from explorer.strategies.catalogue import find_strategy
from explorer.strategies.cost import refuse_too_large, sample_bytes
from explorer.strategies.options import read_free
from explorer.strategies.sample_input import complete_input
from explorer.strategies.shapes import dims_text, read_inputs
from explorer.strategies.strategy import INPUT, SOURCES, Strategy
from explorer.strategies.target import check_path
from explorer.strategies.wording import shown, split_pair, unknown

DEFAULTS = Case(target="")
DEVICES: tuple[Device, ...] = get_args(Device)
OPTION_EXAMPLE = "cell=GRU"
# Arguments of build() that have a place of their own on the command line.
ELSEWHERE = {"seed": "--seed", "shape": "--input", "sizes": "--size", "features": "the last dimension of --input x=..."}


def make_case(
    target: str,
    inputs: Iterable[str] = (),
    sizes: Iterable[str] = (),
    options: Iterable[str] = (),
    breaker: str | None = None,
    wrt: Iterable[str] = (),
    loss: str | None = None,
    device: str = DEFAULTS.device,
    seed: int | str = DEFAULTS.seed,
    timeout: float | str = DEFAULTS.timeout,
    memory: int | str = DEFAULTS.memory,
    way: str | None = None,
    static_only: bool = False,
    second_order: bool = False,
    check_numbers: bool = False,
    probe: bool = False,
    probe_ops: Iterable[str] = (),
    here: bool = False,
) -> Case:
    """A Case that can be run, complete and in one canonical form; raises BadInput with one sentence otherwise.

    A ``target`` that is no strategy is a path, kept as it was written and looked up from the current folder; ``here``:
    it only names a function of this process. Who names ops to watch wants to watch.
    """
    target = target.strip()
    strategy = None if here else find_strategy(target)
    if strategy is None and not here:
        check_path(target)
    limit = _whole("--memory", memory, least=1)
    chosen = _options(strategy, options)
    ops = _names(probe_ops, "--probe-op", "op")
    asked = cast(Way, _one_of("way", way, WAYS)) if way else None
    return Case(
        target=target,
        inputs=_inputs(strategy, list(inputs), list(sizes), dict(chosen), limit),
        options=chosen,
        breaker=_breaker(strategy, breaker, asked),
        wrt=_wrt(strategy, wrt),
        loss=(loss or "").strip() or None,
        device=cast(Device, _one_of("device", device, DEVICES)),
        seed=_whole("--seed", seed, least=0, most=2**32 - 1),
        timeout=_seconds(timeout),
        memory=limit,
        way=asked,
        static_only=bool(static_only),
        second_order=bool(second_order),
        check_numbers=bool(check_numbers),
        probe=bool(probe) or bool(ops),
        probe_ops=ops,
    )


def _inputs(
    strategy: Strategy | None, inputs: list[str], sizes: list[str], options: dict[str, OptionValue], memory: int
) -> tuple[InputSpec, ...]:
    shape, size = (strategy.shape, strategy.sizes) if strategy else ((None, 10), (5, 10))
    specs = read_inputs(inputs, sizes, f"{INPUT}={dims_text(shape)}", f"{INPUT}={dims_text(size)}")
    if strategy is None:
        for spec in specs:
            _check_agreement(spec)
        refuse_too_large(specs, 0, memory)
        return tuple(specs)
    policy = str(options.get("dtype", strategy.dtype))
    spec = complete_input(strategy, specs, "float32" if policy == "mixed_float16" else policy)
    _check_bound(strategy, spec, int(options.get("maximum_iterations", 0)))
    refuse_too_large([spec], sample_bytes(cast("tuple[int, int, int, int]", spec.size), options), memory)
    return (spec,)


def _check_bound(strategy: Strategy, spec: InputSpec, bound: int) -> None:
    """A bound below the sizes would end the loops early, and another function would be computed."""
    longest = max(size for dim, size in zip(strategy.dims, spec.size or (), strict=True) if dim in ("outer", "time"))
    if 0 < bound < longest:
        raise BadInput(
            f"With maximum_iterations={bound} the loops end before their {longest} iterations: write {longest} or "
            f"more, or 0 for no bound."
        )


def _check_agreement(spec: InputSpec) -> None:
    if spec.shape is None or spec.size is None:
        return
    if len(spec.shape) != len(spec.size):
        raise BadInput(
            f"{spec.name} has {len(spec.shape)} dimensions in --input and {len(spec.size)} in --size: write one size "
            f"for each of {dims_text(spec.shape)}."
        )
    for place, (dim, size) in enumerate(zip(spec.shape, spec.size, strict=True)):
        if dim is not None and dim != size:
            raise BadInput(
                f"Size {size} contradicts the signature of {spec.name}, which fixes dimension {place} at {dim}: "
                f"write {dim} in --size, or None in --input."
            )


def _options(strategy: Strategy | None, options: Iterable[str]) -> tuple[tuple[str, OptionValue], ...]:
    given: dict[str, str] = {}
    for text in options:
        key, value = split_pair(text, "Option", "KEY=VALUE", OPTION_EXAMPLE)
        if key in given:
            raise BadInput(f"Option {key!r} is given twice: write --option {key}=... once.")
        given[key] = value
    if strategy is None:
        for key in given:
            if not key.isidentifier():
                raise BadInput(
                    f"{shown(key)} cannot be an option of build(): write a Python name, as in {OPTION_EXAMPLE}."
                )
        return tuple((key, read_free(value)) for key, value in given.items())
    known = {option.key: option for option in strategy.options}
    for key in given:
        if key in ELSEWHERE:
            raise BadInput(f"{key!r} is no option of {strategy.key}: say it with {ELSEWHERE[key]}.")
        if key not in known:
            raise unknown("option", key, known, strategy.key)
    return tuple(
        (key, row.read(given[key], strategy.key) if key in given else row.default) for key, row in known.items()
    )


def _breaker(strategy: Strategy | None, breaker: str | None, way: Way | None) -> str | None:
    text = (breaker or "").strip()
    if not text or text.lower() == "none":
        return None
    if strategy is None:
        raise BadInput(
            f"Breaker {shown(text)} can be put into a sample model only, and the target is a path: leave --breaker out."
        )
    row, place = split_breaker(text, strategy.places, strategy.key, way or strategy.way)
    return f"{row.key}@{place}"


def _wrt(strategy: Strategy | None, wrt: Iterable[str]) -> tuple[str, ...]:
    names = _names(wrt, "--wrt", "input or variable")
    for name in names:
        if strategy and name.rpartition("/")[2] not in SOURCES:  # a layer's name may stand in front
            raise unknown("source", name, SOURCES, strategy.key)
    return names


def _names(raw: Iterable[str], flag: str, what: str) -> tuple[str, ...]:
    """Names as written, each once."""
    names = [name.strip() for name in raw]
    for name in names:
        if not name or any(mark in name for mark in "; \t\n"):
            raise BadInput(f"{shown(name)} cannot be a name for {flag}: write the name of one {what}.")
    return tuple(dict.fromkeys(names))


def _one_of(kind: str, word: str, known: Sequence[str]) -> str:
    name = word.strip().lower()
    if name not in known:
        raise unknown(kind, word, known)
    return name


def _whole(flag: str, raw: int | str, least: int, most: int | None = None) -> int:
    bounds = f"from {least} to {most}" if most is not None else f"of {least} or more"
    try:
        value = int(str(raw).strip())
    except ValueError:
        value = least - 1
    if value < least or (most is not None and value > most):
        raise BadInput(f"{flag} {shown(str(raw))} cannot be used: write a whole number {bounds}.")
    return value


def _seconds(raw: float | str) -> float:
    try:
        value = float(str(raw).strip())
    except ValueError:
        value = 0.0
    if not (value > 0 and math.isfinite(value)):
        raise BadInput(f"--timeout {shown(str(raw))} cannot be used: write a number of seconds above 0.")
    return value
