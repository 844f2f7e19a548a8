"""Lines of the program that ran, set off: Streamlit's own code block cannot mark a line."""

from __future__ import annotations

import streamlit as st

from explorer.export.listing import Note, around
from explorer.model.graph import Location
from explorer.model.verdict import Exploration


def excerpt(exploration: Exploration, location: Location | None, note: Note, margin: int = 2) -> None:
    """Show the line in its surroundings, where it is a line of the program that ran."""
    if location is None or not exploration.code or location.file != exploration.file:
        return
    st.html(around(exploration.code, location.line, {location.line: note}, margin))
