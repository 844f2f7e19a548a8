"""plotly.js for the picture, handed to the page out of the installed plotly: nothing is fetched from outside.

A component of its own, whose message never changes: Streamlit sends it to a browser once and refers to it afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import streamlit as st

_NOTHING_TO_DO = "\nexport default function () { return () => {}; }\n"


def shipped() -> Path:
    """The file inside the installed plotly package; it puts itself on ``window.Plotly``."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("plotly is not installed")
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., object]:
    script = shipped().read_text(encoding="utf-8") + _NOTHING_TO_DO
    return st.components.v2.component("explorer_drawing_library", html="<span></span>", js=script, isolate_styles=False)


def provide() -> None:
    """Give the page plotly.js. Called before the picture is there, so that it is loaded by then."""
    _component()(key="drawing_library", height=1)
