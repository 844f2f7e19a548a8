"""Which lines are the user's own, and which API made a loop."""

from __future__ import annotations

import functools
import os
import sysconfig
from collections.abc import Iterable, Sequence
from typing import Protocol

from explorer.model.graph import Location, Stack

FRAMES_KEPT = 6

_EXPLORER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STDLIB = os.path.realpath(sysconfig.get_paths()["stdlib"]) + os.sep
_own_folders: set[str] = set()


class Frame(Protocol):
    """What a traceback entry of Python or of TensorFlow offers."""

    filename: str
    lineno: int
    name: str


def declare_user_folder(folder: str) -> None:
    """Count files below ``folder`` as the user's own even if it lies in site-packages (an installed sample model)."""
    _own_folders.add(os.path.realpath(folder) + os.sep)
    is_user_file.cache_clear()


@functools.cache
def is_user_file(filename: str) -> bool:
    """Whether a frame of this file is the user's own code: not a library, not Python's, not ours."""
    if filename.startswith("<") or os.path.basename(filename).startswith("__autograph_generated_file"):
        return False
    real = os.path.realpath(filename)
    # a virtual environment often lies below the user's own folder, an own folder rarely below site-packages
    if any(real.startswith(folder) and not _in_library(real[len(folder) - 1 :]) for folder in _own_folders):
        return True
    return not _in_library(real) and not real.startswith((_STDLIB, _EXPLORER))


def _in_library(path: str) -> bool:
    return f"{os.sep}site-packages{os.sep}" in path or f"{os.sep}dist-packages{os.sep}" in path


def user_stack(frames: Iterable[Frame]) -> Stack:
    """The user's frames, innermost first, from frames given outermost first."""
    found = [Location(f.filename, f.lineno, f.name) for f in frames if is_user_file(f.filename)]
    return tuple(reversed(found[-FRAMES_KEPT:]))


# (file suffix, function) -> API. Looked for from the innermost frame outwards; a body boundary ends the search.
_APIS = {
    ("map_fn.py", "map_fn"): "map_fn",
    ("functional_ops.py", "scan"): "scan",
    ("functional_ops.py", "foldl"): "foldl",
    ("functional_ops.py", "foldr"): "foldr",
    ("rnn.py", "_dynamic_rnn_loop"): "dynamic_rnn",
    ("rnn.py", "dynamic_rnn"): "dynamic_rnn",
    ("rnn.py", "raw_rnn"): "raw_rnn",
    ("rnn.py", "rnn"): "Keras RNN",
    ("backend.py", "rnn"): "Keras RNN",
    ("core.py", "while_loop"): "keras.ops.while_loop",
    ("core.py", "scan"): "keras.ops.scan",
    ("core.py", "map"): "keras.ops.map",
    ("core.py", "fori_loop"): "keras.ops.fori_loop",
    ("control_flow.py", "for_stmt"): "AutoGraph for",
    ("control_flow.py", "while_stmt"): "AutoGraph while",
    ("control_flow_ops.py", "_pfor_impl"): "vectorized_map",
    ("control_flow_ops.py", "pfor"): "vectorized_map",
    ("control_flow_ops.py", "for_loop"): "vectorized_map fallback",
}
_BODY_BOUNDARY = {"func_graph_from_py_func", "_BuildLoop"}


def loop_api(frames: Sequence[Frame]) -> str:
    """The API that made a loop, from all frames of its creation (outermost first)."""
    seen_builder = False
    for frame in reversed(frames):
        if is_user_file(frame.filename):
            break
        file = os.path.basename(frame.filename)
        api = "vectorized_map" if file == "pfor.py" else _APIS.get((file, frame.name))
        if api is not None:
            return api
        if frame.name in _BODY_BOUNDARY and seen_builder:
            break
        seen_builder = seen_builder or frame.name.startswith("while_loop") or frame.name == "BuildLoop"
    return "while_loop"
