"""Find where a gradient is lost in TensorFlow loops, and why.

Importing this loads neither TensorFlow nor Streamlit: both wait until they are needed.
"""

from typing import TYPE_CHECKING, Any

from explorer.model.case import BadInput

if TYPE_CHECKING:
    from explorer.api import assert_gradients_flow, compare, explore

__all__ = ["BadInput", "assert_gradients_flow", "compare", "explore"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'explorer' has no attribute {name!r}")
    from explorer import api

    return getattr(api, name)
