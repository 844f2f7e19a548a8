"""The one input of a sample model: checked dimension by dimension, with what the user left out filled in."""

from __future__ import annotations

from dataclasses import replace

from explorer.model.case import BadInput, InputSpec
from explorer.strategies.shapes import dims_text
from explorer.strategies.strategy import INPUT, Strategy
from explorer.strategies.wording import unknown


def complete_input(strategy: Strategy, specs: list[InputSpec], dtype: str) -> InputSpec:
    """The strategy's input with shape, size and ``dtype``; refuses what the model cannot be built for."""
    for spec in specs:
        if spec.name != INPUT:
            raise unknown("input", spec.name, [INPUT], strategy.key)
    spec = specs[0] if specs else InputSpec(INPUT, strategy.shape, strategy.dtype)
    if spec.dtype not in (dtype, strategy.dtype):
        raise BadInput(
            f"{strategy.key} computes in {dtype}, and {INPUT} is given as {spec.dtype}: leave the dtype out."
        )
    spec = replace(spec, dtype=dtype)
    _check_rank(strategy, spec)
    spec = _with_shape(strategy, spec)
    _check_sized(strategy, spec)
    spec = _with_size(strategy, spec)
    _check_sizes(strategy, spec)
    return spec


def _check_rank(strategy: Strategy, spec: InputSpec) -> None:
    for flag, dims, example in (("input", spec.shape, strategy.shape), ("size", spec.size, strategy.sizes)):
        if dims is not None and len(dims) != len(strategy.dims):
            raise BadInput(
                f"{strategy.key} takes {len(strategy.dims)} dimensions ({', '.join(strategy.dims)}), and --{flag} "
                f"gives {INPUT} {len(dims)}: write for example {INPUT}={dims_text(example)}."
            )


def _with_shape(strategy: Strategy, spec: InputSpec) -> InputSpec:
    """Without a signature every dimension stays open but those that need a size."""
    if spec.shape is not None:
        return spec
    sizes = spec.size or strategy.sizes
    return replace(
        spec, shape=tuple(n if dim in strategy.sized else None for dim, n in zip(strategy.dims, sizes, strict=True))
    )


def _check_sized(strategy: Strategy, spec: InputSpec) -> None:
    for dim, value in zip(strategy.dims, spec.shape or (), strict=True):
        if value is None and dim == "features":
            raise BadInput(
                f"{dim} must have a size, because the cell's weights are made from it: write for example "
                f"{INPUT}={dims_text(strategy.shape)}."
            )


def _with_size(strategy: Strategy, spec: InputSpec) -> InputSpec:
    if spec.size is not None:
        return spec
    shape = spec.shape or strategy.shape
    return replace(
        spec, size=tuple(usual if dim is None else dim for dim, usual in zip(shape, strategy.sizes, strict=True))
    )


def _check_sizes(strategy: Strategy, spec: InputSpec) -> None:
    for dim, fixed, size in zip(strategy.dims, spec.shape or (), spec.size or (), strict=True):
        if fixed == 0 or size == 0:
            raise BadInput(
                f"{dim} is 0 in {INPUT}, which leaves nothing to differentiate: write a size of 1 or more, as in "
                f"{INPUT}={dims_text(strategy.sizes)}."
            )
        if fixed is not None and fixed != size:
            raise BadInput(
                f"Size {size} for {dim} contradicts the signature of {INPUT}, which fixes {dim} at {fixed}: write "
                f"{fixed} in --size, or {'another number' if dim in strategy.sized else 'None'} in --input."
            )
