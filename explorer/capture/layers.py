"""Which Keras layer's own code made an op, and at which line the user made that layer.

What a layer does is changed where it is made (its activation, its epsilon, ``stateful=True``), not where it is called.
Keras keeps the layers that are being called on a stack of its own, in graphs and eagerly alike; it is read here.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import tensorflow as tf

from explorer.capture import private
from explorer.capture.lines import is_user_file
from explorer.capture.running_frames import all_running, as_written, innermost_user_line
from explorer.model.graph import Layer, Location

_MADE_IN = "_explorer_layer"
_CALLS = ("keras/src/layers/layer.py", "__call__")


@dataclass(frozen=True)
class _Made:
    """``whole`` is the layer the user made: a SimpleRNN makes its cell itself."""

    location: Location
    whole: weakref.ReferenceType[Any]


_made: weakref.WeakKeyDictionary[Any, _Made] = weakref.WeakKeyDictionary()


@contextlib.contextmanager
def noting_layers() -> Iterator[None]:
    """While active, Keras layers are known by the user's line that made them, and ops of graphs by their layer."""
    import keras

    base = keras.layers.Layer
    make, create = base.__init__, tf.Graph._create_op_internal

    def init(layer: Any, *arguments: Any, **named: Any) -> None:
        made = _made_here(layer, sys._getframe(1), base)
        if made is not None:
            _made[layer] = made
        make(layer, *arguments, **named)

    def create_op(graph: Any, *arguments: Any, **named: Any) -> Any:
        op = create(graph, *arguments, **named)
        layer = _being_called()
        if layer is not None:
            setattr(op, _MADE_IN, layer)
        return op

    init.__signature__ = inspect.signature(make)  # type: ignore[attr-defined] # Keras reads the parameters' names
    base.__init__, tf.Graph._create_op_internal = init, create_op
    try:
        yield
    finally:
        base.__init__, tf.Graph._create_op_internal = make, create


def layer_of(op: Any) -> Layer | None:
    """The layer whose own code made an op of a graph; None where the user's code did, be it called by a layer."""
    layer: Layer | None = getattr(op, _MADE_IN, None)
    if layer is None:
        return None
    frames = ((f.filename, f.name) for f in reversed(private.user_frames(op)))
    return layer if _library_called(frames) else None


def layer_here(frame: FrameType | None) -> Layer | None:
    """The layer whose own code runs in ``frame``."""
    layer = _being_called()
    if layer is None:
        return None
    return layer if _library_called((f.filename, f.name) for f in reversed(all_running(frame))) else None


def _being_called() -> Layer | None:
    """The innermost layer that is being called and was made at a line of the user's."""
    state = sys.modules.get("keras.src.backend.common.global_state")
    for scope in reversed((state and state.get_global_attribute("name_scope_stack")) or ()):
        made = _made.get(scope.caller) if scope.caller is not None else None
        if made is not None:
            whole = made.whole() or scope.caller
            return Layer(type(whole).__name__, str(whole.name), made.location)
    return None


def _library_called(frames: Iterable[tuple[str, str]]) -> bool:
    """Whether a layer's call comes before any code of the user's, from the innermost frame outwards."""
    for file, function in frames:
        if is_user_file(file):
            return False
        if function == _CALLS[1] and file.replace("\\", "/").endswith(_CALLS[0]):
            return True
    return False


def _made_here(layer: Any, frame: FrameType | None, base: type) -> _Made | None:
    location, whole = innermost_user_line(frame), layer
    while frame is not None and not is_user_file(as_written(frame).filename):
        if frame.f_code.co_name == "__init__" and isinstance(maker := frame.f_locals.get("self"), base):
            whole = maker
            pattern = frame.f_locals.get("layer")  # Bidirectional and its like copy the layer they are given
            if pattern is not layer and type(pattern) is type(layer) and pattern in _made:
                location = _made[pattern].location
        frame = frame.f_back
    return None if location is None else _Made(location, weakref.ref(whole))
