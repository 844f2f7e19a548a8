"""What the Python code inside ``tf.py_function`` does when a graph runs it: recorded like any eager code, once each.

A graph shows only that Python is called. What happens there is known when it has run.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import linecache
import threading
from collections.abc import Callable, Iterator
from typing import Any

from explorer.capture import private
from explorer.capture.eager import EagerRecorder
from explorer.capture.lines import is_user_file
from explorer.model.graph import Location, PythonBody


@contextlib.contextmanager
def recorded_bodies() -> Iterator[dict[str, PythonBody]]:
    """While active, the first run of every function under ``tf.py_function`` is recorded, by the op's token.

    One at a time: the hooks of a recording belong to the whole process.
    """
    bodies: dict[str, PythonBody] = {}
    running, alone = threading.local(), threading.Lock()
    enter, run = private.script_ops.EagerFunc.__call__, private.script_ops.EagerFunc._call

    def entered(function: Any, device: Any, token: Any, args: Any) -> Any:
        running.token = token.decode() if isinstance(token, bytes) else str(token)
        return enter(function, device, token, args)

    def run_once(function: Any, device: Any, args: Any) -> Any:
        token = getattr(running, "token", "")
        taped = private.record.could_possibly_record()  # else nobody asks for its gradient
        if function._is_grad_func or not taped or token in bodies or not alone.acquire(blocking=False):
            return run(function, device, args)
        recorder = EagerRecorder()
        try:
            with recorder:
                outputs = run(function, device, args)
        finally:
            alone.release()
        bodies[token] = _body(recorder, function._func, args, outputs)
        return outputs

    private.script_ops.EagerFunc.__call__, private.script_ops.EagerFunc._call = entered, run_once
    try:
        yield bodies
    finally:
        private.script_ops.EagerFunc.__call__, private.script_ops.EagerFunc._call = enter, run


def _body(recorder: EagerRecorder, function: Callable[..., Any], args: Any, outputs: Any) -> PythonBody:
    inputs = [(str(k), "input", tensor) for k, tensor in enumerate(args)]
    ends = [] if outputs is None else list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    snapshot = recorder.snapshot(inputs, ends)
    begins = _beginning(inspect.unwrap(function))
    files = {place.file for stack in snapshot.stacks for place in stack} | ({begins.file} if begins else set())
    return PythonBody(snapshot, begins, tuple(line for file in sorted(files) for line in numpy_lines(file)))


def _beginning(function: Any) -> Location | None:
    function = getattr(function, "func", function)  # functools.partial
    code = getattr(function, "__code__", None)
    if code is None or not is_user_file(code.co_filename):
        return None
    return Location(code.co_filename, code.co_firstlineno, code.co_name)


@functools.lru_cache(maxsize=16)
def numpy_lines(file: str) -> tuple[Location, ...]:
    """The lines of a file that name NumPy inside a function: it reads tensors past all hooks (buffer protocol)."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:  # not Python, or changed while we ran: nothing is known of it
        return ()
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {a.asname or a.name.partition(".")[0] for a in node.names if a.name.partition(".")[0] == "numpy"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "numpy":
            names |= {a.asname or a.name for a in node.names}
    found = {(n.lineno, function) for function, n in _names(tree, "") if n.id in names}
    return tuple(Location(file, line, function) for line, function in sorted(found))


def _names(node: ast.AST, function: str) -> Iterator[tuple[str, ast.Name]]:
    """The names used inside functions, each with the innermost function's name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name) and function:
            yield function, child
        inner = "<lambda>" if isinstance(child, ast.Lambda) else getattr(child, "name", function)
        opens = isinstance(child, ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef)
        yield from _names(child, inner if opens else function)
