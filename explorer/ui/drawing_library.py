"""plotly.js for the picture: copied out of the installed plotly, so that nothing is fetched from outside."""

from __future__ import annotations

import filecmp
import os
import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_NAME = "plotly.min.js"


def shipped() -> Path:
    """The file inside the installed plotly package."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("plotly is not installed")
    return Path(spec.origin).parent / "package_data" / _NAME


@cache
def provide() -> Path:
    """The copy in the folder ``static`` beside app.py, which Streamlit serves; made anew for another version."""
    folder = Path(__file__).resolve().parents[2] / "static"
    copy = folder / _NAME
    if not (copy.is_file() and filecmp.cmp(shipped(), copy)):
        folder.mkdir(exist_ok=True)
        half = folder / f"{_NAME}.{os.getpid()}"
        shutil.copyfile(shipped(), half)
        half.replace(copy)  # at once: another server may be serving it
    return copy
