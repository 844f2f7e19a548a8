"""Lines of the program that ran, set off: Streamlit's own code block cannot mark a line."""

from __future__ import annotations

import streamlit as st

from explorer.export.listing import Note, around, own_line
from explorer.model.graph import Location
from explorer.model.verdict import Exploration


def excerpt(exploration: Exploration, location: Location | None, note: Note, margin: int = 2) -> None:
    """Show the line in its surroundings, where it is a line of the program that ran."""
    line = own_line(exploration, location)
    if line is not None:
        st.html(around(exploration.code, line, {line: note}, margin))
