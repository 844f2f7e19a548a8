"""The ops that an error is about: named in its text, or held by the frames that TensorFlow raised from."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator

import tensorflow as tf

from explorer.model.graph import Op, Snapshot

_NODES = (
    re.compile(r"\{\{(?:function_)?node ([^}\s]+)[^}]*\}\}"),
    re.compile(r"(?:Detected at node|node|to node|op) [`'\"]?([\w./-]+)[`'\"]?"),
    re.compile(r"Tensor\(\"([\w./-]+)"),
)
_HELD_AS = ("if_op", "case_op", "while_op", "op")  # a tape hands a stand-in, the rule of a branch takes the op from it


def named_ops(error: BaseException, snapshot: Snapshot) -> list[Op]:
    """The ops of the snapshot that the text names, innermost body first where a name stands in several."""
    by_name: dict[str, list[Op]] = {}
    for op in snapshot.ops:
        by_name.setdefault(op.name, []).append(op)
    told = dict.fromkeys(names_in(str(error)))
    called = [op for name in told for op in _in_called(name, snapshot, by_name)]
    names = dict.fromkeys(forward for name in told for forward in forward_names(name))
    return called + [op for name in names for op in reversed(by_name.get(name, ()))]


def _in_called(name: str, snapshot: Snapshot, by_name: dict[str, list[Op]]) -> Iterator[Op]:
    """The ops that a path leads to: the name of a call, then that of an op in the called function."""
    parts = name.split("/")
    for cut in range(len(parts) - 1, 0, -1):
        outer = {op.id for op in by_name.get("/".join(parts[:cut]), ())}
        inner = by_name.get("/".join(parts[cut:]), ())
        yield from (op for op in inner if snapshot.graphs[op.graph].op in outer)


def names_in(text: str) -> list[str]:
    """Node names as an error's text has them, the surest kind first."""
    return [name for pattern in _NODES for name in pattern.findall(text)]


def held_ops(error: BaseException) -> list[tf.Operation]:
    """The ops whose gradient was being built, innermost first."""
    frames = [frame for each in made_from(error) for frame, _ in traceback.walk_tb(each.__traceback__)]
    held = (frame.f_locals.get(name) for frame in reversed(frames) for name in _HELD_AS)
    return [op for op in held if isinstance(op, tf.Operation)]


def made_from(error: BaseException) -> list[BaseException]:
    """The error and those that AutoGraph made it from, the first raised last: the frames are theirs."""
    found = [error]
    while (before := found[-1].__context__) is not None and str(before) and str(before) in str(error):
        found.append(before)
    return found


def forward_names(node: str) -> Iterator[str]:
    """The forward ops a backward node may belong to: ``gradient_tape/while/gradients/while/Tanh_grad/...``."""
    yield node
    plain = re.sub(r"^(gradient_tape|gradients)/", "", node)
    for end in reversed(list(re.finditer(r"_grad(?=/|$)", plain))):
        part = plain[: end.start()].rsplit("_grad/", 1)[-1]
        yield part
        pieces = part.split("gradients/")
        yield pieces[-1]
        yield pieces[-1].split("/")[-1]
