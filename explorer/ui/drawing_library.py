"""plotly.js for the picture, served to the page out of the installed plotly: nothing is fetched from outside.

A file over HTTP rather than a part of a component: it would otherwise travel in the page's own stream of messages, and
the browser would read its megabytes before it draws the sidebar.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from streamlit.components.v1 import declare_component

_HERE = Path(__file__).parent


def shipped() -> Path:
    """The file inside the installed plotly package; it puts itself on ``window.Plotly``."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("plotly is not installed")
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


def script(name: str) -> str:
    """A component's script, with the function before it that loads plotly.js."""
    return "\n".join((_HERE / file).read_text(encoding="utf-8") for file in ("load.js", name))


def address() -> str:
    """Where the page finds it, below the app's own address."""
    file = shipped()
    # Streamlit serves the folder of a declared component; none is ever drawn.
    served = declare_component("drawing_library", path=str(file.parent))
    return f"component/{served.name}/{file.name}"
