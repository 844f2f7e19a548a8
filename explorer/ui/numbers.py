"""NaN and Inf with the op at which they began, finite differences, and the second order."""

from __future__ import annotations

from html import escape

import streamlit as st

from explorer.layout.values import Nest
from explorer.model.verdict import BadNumber, Exploration, NumberCheck, SecondOrder
from explorer.rules.palette import ThemeName
from explorer.rules.sentence import loop_words, place, told
from explorer.rules.statuses import look
from explorer.ui import code, tables, view

_AGREES = {True: ("flows", "agrees"), False: ("raised", "WRONG"), None: ("unobserved", "cannot be judged")}
_LOOKS = {"finite": "flows", "none": "none-disconnected"}
"""A bare measurement in the look of the status that is nearest to it."""


def of_op(exploration: Exploration, op: int) -> list[BadNumber]:
    """The bad numbers that began at this op."""
    return [bad for bad in exploration.numerics if _op(exploration, bad) == op]


def card_of(exploration: Exploration, nest: Nest, bad: BadNumber) -> str:
    """The card of the op at which a bad number began; empty where it is not drawn."""
    op = _op(exploration, bad)
    return next((card.id for card in nest.cards if op in card.ops), "")


def _op(exploration: Exploration, bad: BadNumber) -> int | None:
    """By name and loop; a layer made again has another name, then by type and line where that is one op only."""
    ops = exploration.snapshot.ops if exploration.snapshot else ()
    here = [op for op in ops if op.type == bad.op_type and op.loop == bad.loop]
    named = next((op.id for op in here if op.name == bad.op_name), None)
    if named is not None or exploration.snapshot is None:
        return named
    line = place(bad.location)
    alike = [op.id for op in here if line and place(exploration.snapshot.where(op.stack)) == line]
    return alike[0] if len(alike) == 1 else None


def show(exploration: Exploration, nest: Nest, theme: ThemeName) -> None:
    """The panel; what was not asked for says how to ask."""
    for number, bad in enumerate(exploration.numerics):
        _bad(exploration, nest, bad, number)
    if not exploration.numerics:
        st.caption("No NaN and no Inf was met." if exploration.run else "Not known yet.")
    _checks(exploration.number_checks, exploration.case.check_numbers, theme)
    _second_order(exploration.second_order, exploration.case.second_order, theme)


def _bad(exploration: Exploration, nest: Nest, bad: BadNumber, number: int) -> None:
    with st.container(border=True):
        left, right = st.columns([5, 1], vertical_alignment="center")
        where = ", ".join(filter(None, (place(bad.location), loop_words(exploration.snapshot, bad.loop))))
        kind = "NaN" if bad.kind == "nan" else "Inf"
        left.html(
            f"<b>{kind} first at {escape(bad.op_type)}</b>, {bad.phase} pass &nbsp; {escape(where)}"
            f"<br><code>{escape(bad.cause)}</code>"
        )
        left.markdown(bad.sentence)
        card = card_of(exploration, nest, bad)
        right.button(
            "Show", key=f"bad {number}", width="stretch", disabled=not card, on_click=view.select, args=(card,),
            help="Mark it in the picture." if card else "The op is not drawn.",
        )  # fmt: skip
        code.excerpt(exploration, bad.location, code.Note(bad.cause))


def _checks(checks: tuple[NumberCheck, ...], asked: bool, theme: ThemeName) -> None:
    st.html("<b>Finite differences</b>")
    if not checks:
        st.caption("Nothing was compared." if asked else "Not asked for: Check the numbers, in the sidebar.")
        return
    rows = [
        [
            f"<code>{escape(check.source)}</code>",
            _sign(*_AGREES[check.agrees], theme),
            tables.number(check.error),
            str(check.coordinates),
            escape(check.sentence),
        ]
        for check in checks
    ]
    st.html(tables.table(["source", "gradient", "relative error", "elements compared", ""], rows))


def _second_order(second: SecondOrder | None, asked: bool, theme: ThemeName) -> None:
    st.html("<b>Second order</b>: the gradient of the squared norm of all gradients")
    if second is None:
        st.caption("It was not measured." if asked else "Not asked for: Second order, in the sidebar.")
        return
    if second.failure is not None:
        at = place(second.failure.location)
        st.error(f"{told(second.failure)}{f' ({at})' if at else ''}", icon=":material/error:")
    rows = [
        [
            f"<code>{escape(each.source)}</code>",
            _sign(_LOOKS.get(each.measured, each.measured), each.measured, theme),
            tables.number(each.norm),
        ]
        for each in second.measurements
    ]
    if rows:
        st.html(tables.table(["source", "measured", "norm"], rows))


def _sign(status: str, words: str, theme: ThemeName) -> str:
    seen = look(status)
    return f'<span class="sign" style="color:{seen.colour(theme)}">{escape(seen.sign)}</span>{escape(words)}'
