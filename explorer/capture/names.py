"""Names of loop variables as the user wrote them: the parameters of the body function, or AutoGraph's symbols.

TensorFlow forgets them (placeholders are called ``placeholder_2``), so they are noted while a loop is built.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

from explorer.capture import private

NOTED = "_explorer_names"
BUILT_WITH = "_explorer_outputs"  # how many results the loop had before anything was differentiated
_LOOK_BACK = 6  # frames between while_loop and AutoGraph's statement


@contextlib.contextmanager
def noting_names() -> Iterator[None]:
    """While active, loop bodies (and TF1 loop contexts) carry their variables' names as an attribute."""
    open_loops: list[list[str]] = []
    build_loop, build_op, build_frame = (
        private.while_v2.while_loop,
        private.while_v2._build_while_op,
        private.WhileContext.BuildLoop,
    )

    def while_loop(cond: Any, body: Any, loop_vars: Any, *rest: Any, **named: Any) -> Any:
        open_loops.append(names_of(body, loop_vars))
        try:
            return build_loop(cond, body, loop_vars, *rest, **named)
        finally:
            open_loops.pop()

    def build_while_op(loop_vars: Any, cond_graph: Any, body_graph: Any, *rest: Any, **named: Any) -> Any:
        # a backward loop is built without while_loop around it: its body is no forward body
        if open_loops and not hasattr(body_graph, "_forward_graph"):
            setattr(body_graph, NOTED, ["loop_counter", "maximum_iterations", *open_loops[-1]])
            setattr(body_graph, BUILT_WITH, len(body_graph.outputs))
        return build_op(loop_vars, cond_graph, body_graph, *rest, **named)

    def build_v1(context: Any, pred: Any, body: Any, loop_vars: Any, *rest: Any) -> Any:
        setattr(context, NOTED, names_of(body, loop_vars))
        return build_frame(context, pred, body, loop_vars, *rest)

    private.while_v2.while_loop, private.while_v2._build_while_op = while_loop, build_while_op
    private.WhileContext.BuildLoop = build_v1
    try:
        yield
    finally:
        private.while_v2.while_loop, private.while_v2._build_while_op = build_loop, build_op
        private.WhileContext.BuildLoop = build_frame


def names_of(body: Callable[..., Any], loop_vars: Any) -> list[str]:
    """One name per flat loop variable: ``h``, ``states[0]``, ..."""
    many = list(loop_vars) if isinstance(loop_vars, (list, tuple)) else [loop_vars]
    inner = _wrapped(body)
    if inner is not None and len(many) == 2:  # TF1 wraps the body to count up to maximum_iterations
        return ["iteration", *names_of(inner, many[1])]
    symbols = _autograph_symbols()
    given = symbols if symbols and len(symbols) == len(many) else _parameters(body, len(many))
    names: list[str] = []
    for name, value in zip(given, many, strict=True):
        flat = private.nest.flatten(value, expand_composites=True)
        names += [name] if len(flat) == 1 else [f"{name}[{k}]" for k in range(len(flat))]
    return names


def _wrapped(body: Callable[..., Any]) -> Callable[..., Any] | None:
    code = getattr(body, "__code__", None)
    if code is None or "orig_body" not in code.co_freevars:
        return None
    return dict(zip(code.co_freevars, body.__closure__ or (), strict=True))["orig_body"].cell_contents


def _autograph_symbols() -> list[str] | None:
    frame: FrameType | None = sys._getframe(2)
    for _ in range(_LOOK_BACK):
        if frame is None:
            return None
        if frame.f_code.co_name == "_tf_while_stmt" and "symbol_names" in frame.f_locals:
            return [str(s).strip("<>").removeprefix("internal ") for s in frame.f_locals["symbol_names"]]
        frame = frame.f_back
    return None


def _parameters(body: Callable[..., Any], count: int) -> Sequence[str]:
    try:
        parameters = list(inspect.signature(body).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "variable")
    return names + [f"{rest}[{k}]" for k in range(count - len(names))]
