"""One sentence for whatever TensorFlow or Keras raise over a file that they cannot load."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator

import tensorflow as tf

from explorer.engine.errors import useful_message
from explorer.model.case import BadInput

MOST_PROTO = 2**31 - 1  # bytes: protobuf reads no more
_OP = re.compile(r"Op type not registered '([^']+)'")
_OTHER_OPS = re.compile(r"(?:NodeDef mentions attr|No OpDef|Op \S+ is not defined|not in Op<)")
_CLASS = re.compile(r"Could not (?:locate|deserialize) class '([^']+)'|Unknown (?:layer|loss|metric)[^:]*: '?([\w>]+)")


@contextlib.contextmanager
def refusing(file: str, what: str) -> Iterator[None]:
    """Inside, every error means that ``file`` is no usable ``what``; BadInput passes."""
    name = os.path.basename(file.rstrip(os.sep))
    try:
        yield
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(f"{name} {_sentence(str(error) or type(error).__name__, what)}") from None


def check_size(file: str) -> None:
    """Refuse an empty file, and one that protobuf cannot read."""
    name, size = os.path.basename(file), os.path.getsize(file)
    if size == 0:
        raise BadInput(f"{name} is empty (0 bytes): give a file that was written to its end.")
    if size > MOST_PROTO:
        raise BadInput(f"{name} is {size / 1024**3:.1f} GB, and protobuf reads 2 at most: keep the weights out of it.")


def _sentence(text: str, what: str) -> str:
    op, custom = _OP.search(text), _CLASS.search(text)
    if op:
        return (
            f"needs the op {op[1]!r}, which TensorFlow {tf.__version__} here does not know: install the version or the "
            "op library that wrote it."
        )
    if _OTHER_OPS.search(text):
        return f"was written by another TensorFlow than {tf.__version__} here: {useful_message(text)}"
    if "cyclic dependency" in text or "had cycles" in text or "cycle" in text.lower():
        return f"holds a cycle that is no loop, so nothing can run it ({useful_message(text)})."
    if "Lambda" in text and "unsafe" in text:
        return (
            "holds a Lambda layer, whose Python code would run when it is loaded: load it in a file.py with build(), "
            "and give that file."
        )
    if custom:
        return (
            f"needs the class {custom[1] or custom[2]!r}, which the file does not hold: load it with custom_objects in "
            "a file.py with build(), and give that file."
        )
    return f"is no {what} that can be read, or was cut off: {useful_message(text)}"
