"""The places of TensorFlow that are wrapped while eager code is recorded; all are put back on leaving.

The op callback sees most eager ops. It does not see: variables read in C when passed as an op's argument (the fast path
is switched off, so that they are read in Python), operations recorded with a backward function of their own
(custom gradients, copies), ``numpy_function`` (runs no op), values read out with ``.numpy()``, tensors that a ``for``
statement goes through, the Python loops of code that AutoGraph converted, and what is inside a ``tf.function``.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Literal, Protocol

from explorer.capture import private
from explorer.capture.running_frames import is_users

Kind = Literal["for", "while"]

# Frames between the user's `.numpy()`, `float(x)`, `np.sum(x)` and the tensor.
_READING_FILES = (
    "framework/ops.py", "framework/tensor_util.py", "resource_variable_ops.py", "/numpy/", "keras/src/backend/",
)  # fmt: skip
_HOW = {
    "numpy": ".numpy()",
    "__bool__": "bool()",
    "__float__": "float()",
    "__int__": "int()",
    "__index__": "int()",
    "__complex__": "complex()",
    "__array__": "NumPy",
}
# In eager mode these read a tensor to decide which way to go.
_DECIDING = {"cond.py": "tf.cond", "while_loop.py": "tf.while_loop", "control_flow_switch_case.py": "tf.switch_case"}


class Listener(Protocol):
    """What the recorder does with what it hears. ``paused`` is True while nothing is to be recorded."""

    paused: bool

    def op(self, op_type: str, inputs: list, attributes: tuple, outputs: list) -> None: ...

    def own_gradient(self, op_type: str, inputs: list, outputs: list, backward: Callable[..., Any]) -> None: ...

    def departed(self, tensor: Any, how: str, frame: FrameType) -> None: ...

    def call_begins(self, function: Any) -> Any: ...

    def call_ends(self, opened: Any, inputs: list, outputs: list) -> None: ...

    def python_function(self, inputs: list, outputs: list) -> None: ...

    def loop(self, original: Callable[..., Any], frame: FrameType, arguments: tuple, named: dict) -> Any: ...

    def converted_loop(
        self, kind: Kind, original: Callable[..., Any], frame: FrameType, statement: Any, arguments: tuple
    ) -> Any: ...


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell ``listener`` of everything that runs eagerly on this thread."""

    def callback(
        op_type: Any, inputs: Any, attributes: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> None:
        if graph is None and not listener.paused:
            listener.op(_text(op_type), _eager(inputs), attributes or (), _eager(outputs))

    with contextlib.ExitStack() as stack:
        for owner, name, wrap in _wrappers(listener):
            original = getattr(owner, name)
            stack.callback(setattr, owner, name, original)
            setattr(owner, name, functools.wraps(original)(wrap(original)))
        private.op_callbacks.add_op_callback(callback)
        stack.callback(private.op_callbacks.remove_op_callback, callback)
        yield


def _wrappers(listener: Listener) -> list[tuple[Any, str, Callable[[Any], Any]]]:
    running: list[tuple[Any, Any]] = []  # tf.function calls under way: (function, what the listener opened for it)
    return [
        (private.pywrap_tfe, "TFE_Py_FastPathExecute", _no_fast_path),
        (private.record, "record_operation", lambda original: _record_operation(original, listener)),
        (private.EagerTensorBase, "_numpy", lambda original: _numpy(original, listener)),
        (private.EagerTensorBase, "__iter__", lambda original: _iterate(original, listener)),
        (private.concrete_function.ConcreteFunction, "_call_flat", lambda original: _call(original, listener, running)),
        (
            private.atomic_function.AtomicFunction,
            "call_flat",
            lambda original: _atomic_call(original, listener, running),
        ),
        (private.script_ops, "py_func_common", lambda original: _python_function(original, listener)),
        (private.while_loop_module, "while_loop", lambda original: _while_loop(original, listener)),
        (private.autograph_loops, "_py_for_stmt", lambda original: _converted_for(original, listener)),
        (private.autograph_operators(), "while_stmt", lambda original: _converted_while(original, listener)),
    ]


def _no_fast_path(_: Any) -> Callable[..., Any]:
    def fall_back(*_: Any, **__: Any) -> Any:
        raise private.FallbackException("recorded in Python")

    return fall_back


def _record_operation(original: Any, listener: Listener) -> Callable[..., Any]:
    def record_operation(
        op_type: Any, output_tensors: Any, input_tensors: Any, backward_function: Any, forward_function: Any = None
    ) -> Any:
        outputs = _eager(output_tensors)
        if outputs and not listener.paused:
            listener.own_gradient(_text(op_type), _eager(input_tensors), outputs, backward_function)
        return original(op_type, output_tensors, input_tensors, backward_function, forward_function)

    return record_operation


def _numpy(original: Any, listener: Listener) -> Callable[..., Any]:
    def numpy(tensor: Any) -> Any:
        if not listener.paused:
            reader = sys._getframe(1)
            how, caller = _read_by(reader, _HOW.get(reader.f_code.co_name))
            if how and caller is not None:
                listener.departed(tensor, how, caller)
        return original(tensor)

    return numpy


def _read_by(frame: FrameType | None, how: str | None) -> tuple[str | None, FrameType | None]:
    """How the user's code, the nearest outwards from ``frame``, comes to read a value; None where a library does.

    TensorFlow may read it to decide something for the user; AutoGraph stands between converted code and what it calls.
    """
    while frame is not None and any(part in frame.f_code.co_filename for part in _READING_FILES):
        frame = frame.f_back
    if frame is not None and "/tensorflow/" in frame.f_code.co_filename:
        decides = _DECIDING.get(os.path.basename(frame.f_code.co_filename))
        while frame is not None and not is_users(frame):
            if decides is None and "/autograph/" not in frame.f_code.co_filename:
                return None, None
            frame = frame.f_back
        return decides or how, frame
    return (how, frame) if frame is not None and is_users(frame) else (None, None)


def _iterate(original: Any, listener: Listener) -> Callable[..., Any]:
    """``for _ in tf.range(n)`` in Python: ``n`` decides how often the loop runs."""

    def iterate(tensor: Any) -> Any:
        caller = sys._getframe(1)
        if not listener.paused and tensor.dtype.is_integer and is_users(caller):
            listener.departed(tensor, "int()", caller)
        return original(tensor)

    return iterate


def _call(original: Any, listener: Listener, running: list) -> Callable[..., Any]:
    """A tf.function call: the graph is taken before the tape rewrites it, the tensors when it runs as one op."""

    def call_flat(function: Any, tensor_inputs: Any, captured_inputs: Any) -> Any:
        if listener.paused or not private.executing_eagerly():
            return original(function, tensor_inputs, captured_inputs)
        opened = listener.call_begins(function)
        listener.paused = True
        running.append((function, opened))
        try:
            return original(function, tensor_inputs, captured_inputs)
        finally:
            running.pop()
            listener.paused = False

    return call_flat


def _atomic_call(original: Any, listener: Listener, running: list) -> Callable[..., Any]:
    def call_flat(function: Any, *arguments: Any) -> Any:
        outputs = original(function, *arguments)
        if running and private.executing_eagerly():
            concrete, opened = running[-1]
            if opened is not None:
                inputs, ends = len(concrete.graph.inputs), len(concrete.graph.outputs)
                listener.call_ends(opened, list(arguments)[:inputs], list(outputs or ())[:ends])
                running[-1] = (concrete, None)
        return outputs

    return call_flat


def _python_function(original: Any, listener: Listener) -> Callable[..., Any]:
    def py_func_common(func: Any, inp: Any, *rest: Any, **named: Any) -> Any:
        if listener.paused or not private.executing_eagerly():
            return original(func, inp, *rest, **named)
        inputs = [private.ops.convert_to_tensor(value) for value in inp]
        result = original(func, inputs, *rest, **named)
        flat = result if isinstance(result, list) else [result]
        listener.python_function(_eager(inputs), _eager(flat))
        return result

    return py_func_common


def _while_loop(original: Any, listener: Listener) -> Callable[..., Any]:
    def while_loop(*arguments: Any, **named: Any) -> Any:
        if listener.paused or not private.executing_eagerly():
            return original(*arguments, **named)
        return listener.loop(original, sys._getframe(), arguments, named)

    return while_loop


def _converted_for(original: Any, listener: Listener) -> Callable[..., Any]:
    def for_statement(*arguments: Any) -> Any:
        if listener.paused or not private.executing_eagerly():
            return original(*arguments)
        frame = sys._getframe()
        return listener.converted_loop("for", original, frame, frame.f_back.f_back, arguments)  # type: ignore[union-attr]

    return for_statement


def _converted_while(original: Any, listener: Listener) -> Callable[..., Any]:
    def while_statement(*arguments: Any) -> Any:
        if listener.paused or not private.executing_eagerly():
            return original(*arguments)
        frame = sys._getframe()
        return listener.converted_loop("while", original, frame, frame.f_back, arguments)

    return while_statement


def _eager(tensors: Any) -> list:
    if tensors is None:
        return []
    many = tensors if isinstance(tensors, (list, tuple)) else [tensors]
    return [t for t in many if isinstance(t, private.EagerTensor)]


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)
