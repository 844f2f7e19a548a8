"""Where the user wrote the functions that TensorFlow keeps behind its ops: own gradients, recomputed blocks, calls."""

from __future__ import annotations

import bisect
import contextlib
import dis
import functools
import types
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from explorer.capture import private
from explorer.capture.lines import is_user_file
from explorer.model.graph import Location
from explorer.rules.ops import CALL

TRACED_FROM = "_explorer_traced_from"  # the Python function a FuncGraph was traced from
_SEEN_AT_MOST = 40  # functions looked at behind one
_DEF_WITHIN = 6  # lines below a converted function's first one that may be the first with a known origin
_INLINED = 128  # elements of an eager tensor that become a constant where a graph uses it
_HELD_BY = ("__wrapped__", "func", "__func__", "python_function", "call", "__call__")


@contextlib.contextmanager
def noting_traced_functions() -> Iterator[None]:
    """While active, a graph traced from a Python function carries the function as an attribute."""
    trace = private.func_graph.func_graph_from_py_func

    def func_graph_from_py_func(name: Any, python_func: Any, *rest: Any, **named: Any) -> Any:
        graph = trace(name, python_func, *rest, **named)
        setattr(graph, TRACED_FROM, python_func)
        return graph

    private.func_graph.func_graph_from_py_func = func_graph_from_py_func
    try:
        yield
    finally:
        private.func_graph.func_graph_from_py_func = trace


def written_for(op: tf.Operation) -> Location | None:
    """Where the user's function begins that gives an op's gradient, or that the op calls; None for a library's."""
    if op.type == "IdentityN":
        return written_at(private.own_gradient(op))
    if op.type not in CALL:
        return None
    graph = private.function_graph(op, op.get_attr("f").name)
    return written_at(getattr(graph, TRACED_FROM, None))


def reads_of(op: tf.Operation) -> Location | None:
    """The line on which a gradient function, or a recomputed block, reads what the graph has to capture."""
    found = user_function(private.own_gradient(op)) if op.type == "IdentityN" else None
    return next(_lines_reading(found, 0), None) if found is not None else None


def is_recomputed(op: tf.Operation) -> bool:
    """Whether an IdentityN stands for a block under tf.recompute_grad."""
    return any(name.startswith("recompute_grad.") for name, _ in private.gradient_closure(op))


def written_at(function: object) -> Location | None:
    """The first line of the user's function behind ``function``: its decorator, else its ``def``."""
    found = user_function(function)
    return _first_line(found.__code__) if found is not None else None


def user_function(function: object) -> types.FunctionType | None:
    """The nearest function of the user's own: ``function``, what it wraps, or what it closes over."""
    waiting: list[object] = [function]
    seen: set[int] = set()
    while waiting and len(seen) < _SEEN_AT_MOST:
        found = waiting.pop(0)
        if id(found) in seen:
            continue
        seen.add(id(found))
        if isinstance(found, types.FunctionType) and _first_line(found.__code__) is not None:
            return found
        waiting += _behind(found)
    return None


def user_place(filename: str, line: int, name: str) -> Location | None:
    """The user's own line for a line that ran, also where AutoGraph had converted it; None for a library's."""
    if is_user_file(filename):
        return Location(filename, line, name)
    origin = private.before_conversion(filename, line)
    return Location(*origin) if origin is not None and is_user_file(origin[0]) else None


def _behind(found: object) -> list[object]:
    if isinstance(found, types.FunctionType):
        cells = [c.cell_contents for c in found.__closure__ or () if c != types.CellType()]
        wrapped = [found.__wrapped__] if hasattr(found, "__wrapped__") else []
        return [*wrapped, *(value for value in cells if callable(value) and not isinstance(value, type))]
    if isinstance(found, functools.partial):
        return [found.func, *found.args]
    if isinstance(found, types.MethodType):
        return [found.__func__]
    return [value for name in _HELD_BY if isinstance(value := getattr(found, name, None), _FUNCTIONS)]


_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)


def _first_line(code: types.CodeType) -> Location | None:
    for line in range(code.co_firstlineno, code.co_firstlineno + _DEF_WITHIN):
        place = user_place(code.co_filename, line, code.co_name)
        if place is not None:
            return place
    return None


def _lines_reading(function: types.FunctionType, depth: int) -> Iterator[Location]:
    """The lines that load what must be captured, or call a function of the user's that does."""
    code = function.__code__
    outer = {**function.__globals__, **_closed_over(function)}
    table = [(first, line) for first, _, line in code.co_lines() if line is not None]
    value: object = None
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_DEREF", "LOAD_GLOBAL"):
            value = outer.get(step.argval)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            value = getattr(value, "__dict__", {}).get(step.argval)
        else:
            continue
        if _is_captured(value) or (depth < 2 and _reads(value, depth)):
            line = table[max(bisect.bisect_right(table, (step.offset, 1 << 30)) - 1, 0)][1]
            place = user_place(code.co_filename, line, code.co_name)
            if place is not None:
                yield place


def _reads(value: object, depth: int) -> bool:
    if not isinstance(value, types.FunctionType) or _first_line(value.__code__) is None:
        return False
    return next(_lines_reading(value, depth + 1), None) is not None


def _closed_over(function: types.FunctionType) -> dict[str, object]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells if cell != types.CellType()}


def _is_captured(value: object) -> bool:
    """A variable, a tensor that is too large to become a constant of the graph, or a list of such."""
    if isinstance(value, (list, tuple)):
        return any(_is_captured(each) for each in value[:8])
    if isinstance(value, (types.ModuleType, type)):
        return False
    if isinstance(value, private.EagerTensor):
        return value.dtype in (tf.resource, tf.variant) or (value.shape.num_elements() or 0) > _INLINED
    return isinstance(value, private.BaseResourceVariable) or private.is_keras_variable(value)
