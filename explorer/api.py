"""The explorer from Python: ``explore``, ``compare`` and, for the user's own tests, ``assert_gradients_flow``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from explorer.client import Engine
from explorer.client.job import Job
from explorer.model.case import BadInput, Case, InputSpec, Way
from explorer.model.comparison import Comparison
from explorer.model.verdict import Exploration
from explorer.rules.causes import title_of
from explorer.rules.conclude import conclude
from explorer.rules.sentence import loop_words, place, plain_verdict, verdict
from explorer.rules.watched import watched_loops
from explorer.strategies.catalogue import STRATEGIES, find_strategy
from explorer.strategies.parse import make_case
from explorer.usecases.compare import compare as compare_strategies
from explorer.usecases.explore import explore_case
from explorer.usecases.findings import findings

Given = Any
"""An input: a shape with None for open dimensions, ``(shape, dtype)``, a ``tf.TensorSpec``, or an array or tensor."""


class Result(Exploration):
    """An Exploration that says its verdict when printed and shows its picture in a notebook."""

    def __repr__(self) -> str:
        """The verdict."""
        return f"<{self.case.target}: {verdict(self)}>"

    def _repr_html_(self) -> str:
        """The picture under the verdict, for notebooks; the heat maps below it where iterations were watched."""
        from html import escape  # drawing is loaded where something is drawn

        from explorer.export.heat import heat_of
        from explorer.export.svg import svg
        from explorer.layout.nest import decide
        from explorer.layout.worker import place_in_child

        told = plain_verdict(self)
        if self.snapshot is None:
            return f"<p>{escape(told)}</p>"
        nest = svg(place_in_child(decide(self)), "light", self.case.target, told)
        return nest + heat_of(self) if watched_loops(self) else nest


class ComparisonResult(Comparison):
    """A Comparison that says its recommendation when printed and shows its nests in a notebook."""

    def __repr__(self) -> str:
        """The recommendation."""
        return f"<{len(self.rows)} strategies: {self.reason}>"

    def _repr_html_(self) -> str:
        """All nests, for notebooks."""
        from explorer.export.poster import poster, scenes_of  # drawing is loaded where something is drawn
        from explorer.layout.worker import place_in_child

        return poster(self, scenes_of(self, place_in_child))


def explore(
    target: str | Callable[..., Any],
    inputs: Mapping[str, Given] | None = None,
    sizes: Mapping[str, Sequence[int]] | None = None,
    variables: Sequence[Any] | None = None,
    way: Way | None = None,
    isolated: bool = False,
    options: Mapping[str, Any] | None = None,
    breaker: str | None = None,
    wrt: Sequence[str] = (),
    **settings: Any,
) -> Result:
    """Explore a function of tensors, or what the command line takes: a strategy's key, ``file.py``, ``file.py:name``.

    A function runs in this process, without limits on time and memory; ``isolated=True`` runs it in a process of its
    own, for which it must stand at the top of a file. ``inputs`` maps each parameter to a shape with None for open
    dimensions, ``(shape, dtype)``, a ``tf.TensorSpec``, or an array or tensor; ``sizes`` gives the sizes to run with.
    ``variables`` are found by tracing where they are not given. ``settings`` are those of the command line (``loss``,
    ``seed``, ``device``, ``timeout``, ``memory``, ``second_order``, ``check_numbers``, ``static_only``,
    ``probe``). Raises ``explorer.BadInput`` with one sentence where the request cannot be met.
    """
    specs, values = _inputs(inputs or {}, sizes or {})
    words = {"options": _options(options), "breaker": breaker, "wrt": wrt, "way": way, **settings}
    if callable(target) and not isolated:
        return _here(target, specs, values, variables, words)
    if any(value is not None for value in values):
        raise BadInput("Arrays stay in this process: give shapes and sizes, or leave isolated out.")
    if callable(target):
        from explorer.engine.here import target_of

        target = target_of(target)
        if "<" in target:
            raise BadInput(f"{target} cannot be found from outside: move the function to the top of a file.")
    with Engine() as engine:
        case = _case(target, specs, words)
        return _result(explore_case(case, engine))


def compare(
    strategies: Sequence[str] | None = None,
    inputs: Mapping[str, Given] | None = None,
    sizes: Mapping[str, Sequence[int]] | None = None,
    options: Mapping[str, Any] | None = None,
    **settings: Any,
) -> ComparisonResult:
    """Several strategies (default: all) on the same weights, inputs and sizes, each in a process of its own."""
    specs, _ = _inputs(inputs or {}, sizes or {})
    words = {"options": _options(options), **settings}
    keys = list(strategies or (row.key for row in STRATEGIES))
    with Engine() as engine:
        found = compare_strategies(keys, lambda key: _case(key, specs, words), engine)
    return ComparisonResult(**{field.name: getattr(found, field.name) for field in fields(Comparison)})


def assert_gradients_flow(
    fn: str | Callable[..., Any],
    example_inputs: Any = None,
    variables: Sequence[Any] | None = None,
    strict: bool = False,
    **settings: Any,
) -> Result:
    """Raise AssertionError unless the gradient of ``fn`` reaches every trainable input and variable.

    ``example_inputs`` is an array or tensor, a list of them in the order of the parameters, or what ``explore`` takes
    as ``inputs``. ``strict``: an exact zero, a vanishing or an exploding gradient fails too. The message names each
    lost source with the op, the line and the loop that cut it, and what to write instead.
    """
    __tracebackhide__ = True  # pytest shows the user's line, not ours
    result = explore(fn, _named(fn, example_inputs), variables=variables, **settings)
    if findings(result, strict) or result.outcome != "done":
        raise AssertionError(complaint(result, strict))
    return result


def complaint(result: Exploration, strict: bool = False) -> str:
    """Verdict, then each finding, then each barrier with its line and its remedy."""
    lines = [plain_verdict(result)]
    lines += [f"  {finding}" for finding in findings(result, strict)]
    for barrier in result.flow.barriers if result.flow else ():
        title = title_of(barrier.cause)
        where = f"{barrier.location.file}:{barrier.location.line}" if barrier.location else "no line of yours"
        around = ", ".join(filter(None, (where, loop_words(result.snapshot, barrier.loop))))
        lines += [f"{barrier.op_type} at {around}", f"  {title}", f"  Instead: {barrier.remedy}"]
    lines += [f"{bad.op_type} ({place(bad.location)}): {bad.sentence}" for bad in result.numerics]
    return "\n".join(lines)


def _options(options: Mapping[str, Any] | None) -> list[str]:
    return [f"{key}={value}" for key, value in (options or {}).items()]


def _here(
    fn: Callable[..., Any], specs: Sequence[InputSpec], values: Sequence[Any], variables: Sequence[Any] | None,
    words: Mapping[str, Any],
) -> Result:  # fmt: skip
    from explorer.engine.here import explore_here, target_of  # TensorFlow: not before there is something to explore

    case = _case(target_of(fn), specs, {**words, "here": True})
    job = Job(case, conclude, lambda: None)
    explore_here(case, fn, values, variables, job.take)
    job.end("raised" if job.exploration.failure else "done")
    return _result(job.exploration)


def _result(found: Exploration) -> Result:
    if found.failure is not None and found.failure.type == "BadInput":
        raise BadInput(found.failure.message)
    return Result(**{field.name: getattr(found, field.name) for field in fields(Exploration)})


def _case(target: str, specs: Sequence[InputSpec], words: Mapping[str, Any]) -> Case:
    """Validated like the words of the command line."""
    inputs = [f"{spec.name}={_dims(spec.shape)}:{spec.dtype}" for spec in specs if spec.shape is not None]
    sizes = [f"{spec.name}={_dims(spec.size)}" for spec in specs if spec.size is not None]
    if find_strategy(target) is not None:  # its dtype is an option
        inputs = [text.rpartition(":")[0] for text in inputs]
    return make_case(target, inputs=inputs, sizes=sizes, **words)


def _dims(dims: Sequence[int | None] | None) -> str:
    return ",".join(map(str, dims or ()))


def _inputs(
    inputs: Mapping[str, Given], sizes: Mapping[str, Sequence[int]]
) -> tuple[tuple[InputSpec, ...], tuple[Any, ...]]:
    unknown = [name for name in sizes if name not in inputs]
    if unknown:
        raise BadInput(f"There is no input {unknown[0]!r} to give sizes: name it in inputs as well.")
    read = [_spec(name, given, sizes.get(name)) for name, given in inputs.items()]
    return tuple(spec for spec, _ in read), tuple(value for _, value in read)


def _spec(name: str, given: Given, size: Sequence[int] | None) -> tuple[InputSpec, Any]:
    """The input's signature, and its value where one was given."""
    chosen = None if size is None else tuple(size)
    if hasattr(given, "shape") and hasattr(given, "dtype"):
        shape, dtype = tuple(given.shape), getattr(given.dtype, "name", str(given.dtype))
        value = None if type(given).__name__ == "TensorSpec" else given
        return InputSpec(name, shape, dtype, chosen if value is None else shape), value
    if isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[0], (tuple, list)):
        return InputSpec(name, tuple(given[0]), str(getattr(given[1], "name", given[1])), chosen), None
    if isinstance(given, (tuple, list)) and all(each is None or isinstance(each, int) for each in given):
        return InputSpec(name, tuple(given), "float32", chosen), None
    raise BadInput(f"Input {name!r} is no shape and no array: write for example (None, 10), or pass a tensor.")


def _named(fn: str | Callable[..., Any], given: Any) -> Mapping[str, Given]:
    if given is None or isinstance(given, Mapping):
        return given or {}
    many = list(given) if isinstance(given, (tuple, list)) else [given]
    if isinstance(fn, str):
        raise BadInput("Say which input is which: give example_inputs as a dict.")
    from explorer.engine.targets import parameter_names  # TensorFlow

    return dict(zip(parameter_names(fn, len(many)), many, strict=True))
