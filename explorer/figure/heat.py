"""A probe as a plotly figure: iteration across, the enclosing loop's iteration down, and the profile of both.

Colours go by the logarithm. NaN, Inf and zero are marks on the bare page, iterations that did not run are bare: none of
them has a colour of the scale. A loop that ran once is a line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from explorer.model.probes import ProbeRun
from explorer.rules.grid import (
    Cell,
    Grid,
    cell_kind,
    cell_text,
    column_profile,
    decades,
    has_numbers,
    log_range,
    power,
    row_profile,
)
from explorer.rules.palette import FONT_FAMILY, HEAT, THEMES, Theme, ThemeName
from explorer.rules.statuses import look

ODD_LOOKS: dict[Cell, tuple[str, str, str]] = {
    "nan": ("nan", "x-thin-open", "NaN"),
    "inf": ("inf", "hourglass-open", "infinite"),
    "zero": ("zero", "circle-open", "exactly zero"),
}
"""Status whose colour it has, plotly's marker, words."""

_MANY = 1500  # more odd cells than this are plain squares: a mark each would be slow, and too small to be read
_LARGE = 20_000  # cells; more hold their norms only, or the page would wait for megabytes
_HEALTH = "<br>least %{customdata[0]:.3g}, largest %{customdata[1]:.3g}<br>zeros %{customdata[2]:.0%}, "
_COUNTS = "NaN %{customdata[3]}, Inf %{customdata[4]}"


def heat_figure(table: Grid, theme: ThemeName = "light") -> go.Figure:
    """The map; a line where there is one row."""
    colours = THEMES[theme]
    drawing = go.Figure()
    if len(table.rows) < 2:
        _line(drawing, table, colours, theme)
    else:
        _map(drawing, table, colours)
        _odd_cells(drawing, table, theme)
        if has_numbers(table):
            _profiles(drawing, table, colours)
    _lay_out(drawing, table, colours)
    return drawing


def height(table: Grid) -> int:
    """Pixels that the figure asks for."""
    return 300 if len(table.rows) < 2 else int(min(max(26 * len(table.rows), 130), 430)) + 190


def _map(drawing: go.Figure, table: Grid, colours: Theme) -> None:
    low, high = log_range(table)
    ticks, gap = decades(low, high), int(table.columns <= 40 and len(table.rows) <= 40)
    drawing.add_heatmap(
        z=_logs(table), zmin=low, zmax=high, colorscale=_scale(), showscale=has_numbers(table), xgap=gap, ygap=gap,
        text=[[cell_text(norm) for norm in row] for row in table.cells], customdata=_health(table.runs, table.columns),
        hovertemplate=_hover(table), hoverongaps=True,
        colorbar={"title": {"text": "L2 norm", "side": "top"}, **_ticks(ticks),
                  "outlinewidth": 0, "thickness": 12, "len": 0.78, "y": 0.0, "yanchor": "bottom", "x": 1.01,
                  "tickfont": {"color": colours.faint}},
    )  # fmt: skip


def _scale() -> list[list[Any]]:
    return [[place / (len(HEAT) - 1), colour] for place, colour in enumerate(HEAT)]


def _logs(table: Grid) -> np.ndarray:
    return np.array([_logs_of(row) for row in table.cells], np.float32)


def _logs_of(norms: Sequence[float | None]) -> list[float]:
    return [math.log10(norm) if norm is not None and cell_kind(norm) == "number" else math.nan for norm in norms]


def _hover(table: Grid) -> str:
    health = "" if _health(table.runs, table.columns) is None else _HEALTH + _COUNTS
    where = f"{table.across} %{{x}}" + (f"<br>{table.down} %{{y}}" if table.down else "")
    return f"{table.title}: %{{text}}<br>{where}{health}<extra></extra>"


def _health(runs: Sequence[ProbeRun | None], columns: int) -> np.ndarray | None:
    """Least, largest, share of zeros, NaN and Inf of each cell; None where not known, or too much to send."""
    if len(runs) * columns > _LARGE or not any(run and run.health for run in runs):
        return None
    found = np.full((len(runs), columns, 5), np.nan, np.float32)
    for row, run in enumerate(runs):
        if run is not None and run.health is not None:
            seen = run.health
            numbers = np.array([seen.least, seen.largest, seen.zeros, seen.nans, seen.infs], float).T
            found[row, : len(numbers)] = numbers
    return found


def _odd(table: Grid, kind: Cell) -> list[tuple[int, int]]:
    return [
        (row, step) for row, norms in enumerate(table.cells) for step, n in enumerate(norms) if cell_kind(n) == kind
    ]


def _odd_cells(drawing: go.Figure, table: Grid, theme: ThemeName) -> None:
    many = sum(len(_odd(table, kind)) for kind in ODD_LOOKS) > _MANY
    for kind, (status, symbol, words) in ODD_LOOKS.items():
        places = _odd(table, kind)
        if not places:
            continue
        colour = look(status).colour(theme)
        _legend(drawing, words, "square" if many else symbol, colour)
        if many:
            z = np.full((len(table.rows), table.columns), np.nan)
            z[tuple(np.array(places).T)] = 1.0
            drawing.add_heatmap(z=z, colorscale=[[0, colour], [1, colour]], showscale=False, hoverinfo="skip")
        else:
            size = min(max(0.5 * min(640 / table.columns, 380 / len(table.rows)), 4), 13)
            drawing.add_scatter(
                x=[step for _, step in places], y=[row for row, _ in places], mode="markers", hoverinfo="skip",
                marker={"symbol": symbol, "color": colour, "size": size, "line": {"width": 2, "color": colour}},
                showlegend=False,
            )  # fmt: skip


def _legend(drawing: go.Figure, words: str, symbol: str, colour: str) -> None:
    marker = {"symbol": symbol, "color": colour, "size": 10, "line": {"width": 2, "color": colour}}
    drawing.add_scatter(x=[None], y=[None], mode="markers", name=words, marker=marker, hoverinfo="skip")


def _profiles(drawing: go.Figure, table: Grid, colours: Theme) -> None:
    """The geometric mean of every column above the map and of every row beside it."""
    look_of_it: dict[str, Any] = {
        "mode": "lines+markers", "line": {"color": colours.box_titles[0], "width": 1.6}, "marker": {"size": 4},
        "showlegend": False,
    }  # fmt: skip
    steps, rows = list(range(table.columns)), list(range(len(table.rows)))
    columns, lines = column_profile(table), row_profile(table)
    told = "geometric mean of {}: %{{text}}<br>{} %{{{}}}<extra></extra>"
    drawing.add_scatter(
        x=steps, y=_logs_of(columns), yaxis="y2", text=list(map(cell_text, columns)), **look_of_it,
        hovertemplate=told.format("all runs", table.across, "x"),
    )  # fmt: skip
    drawing.add_scatter(
        x=_logs_of(lines), y=rows, xaxis="x2", text=list(map(cell_text, lines)), **look_of_it,
        hovertemplate=told.format("all iterations", table.down, "y"),
    )  # fmt: skip


def _line(drawing: go.Figure, table: Grid, colours: Theme, theme: ThemeName) -> None:
    norms = table.cells[0] if table.cells else ()
    line = {"color": colours.box_titles[0], "width": 2}
    health = _health(table.runs, table.columns)
    drawing.add_scatter(
        x=list(range(len(norms))), y=_logs_of(norms),
        mode="lines+markers", line=line, marker={"size": 6, "color": line["color"]}, showlegend=False,
        text=[cell_text(norm) for norm in norms], customdata=None if health is None else health[0],
        hovertemplate=_hover(table),
    )  # fmt: skip
    for kind, (status, symbol, words) in ODD_LOOKS.items():
        places = [step for _, step in _odd(table, kind)]
        if places:
            colour = look(status).colour(theme)
            drawing.add_scatter(
                x=places, y=[0.04] * len(places), yaxis="y2", mode="markers", name=words,
                hovertemplate=f"{table.title}: {words}<br>{table.across} %{{x}}<extra></extra>",
                marker={"symbol": symbol, "color": colour, "size": 10, "line": {"width": 2, "color": colour}},
            )  # fmt: skip


def _lay_out(drawing: go.Figure, table: Grid, colours: Theme) -> None:
    single = len(table.rows) < 2
    axis = {"color": colours.faint, "gridcolor": colours.box_lines[0], "zeroline": False, "fixedrange": True,
            "linecolor": colours.box_lines[1], "showline": True, "title": {"font": {"size": 12.5}}}  # fmt: skip
    low, high = log_range(table)
    room = 0.06 * (high - low)
    log = {**axis, "range": [low - room, high + room], **_ticks(decades(low, high)), "tickangle": 0}
    whole = {**axis, "showgrid": False, "tickformat": "d"}
    drawing.update_layout(
        template="none", height=height(table), autosize=True, hovermode="closest", clickmode="event", dragmode=False,
        margin={"l": 76, "r": 20, "t": 26, "b": 50}, paper_bgcolor=colours.page, plot_bgcolor=colours.page,
        font={"family": FONT_FAMILY, "color": colours.ink, "size": 12},
        legend={"x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom", "orientation": "h", "itemclick": False,
                "itemdoubleclick": False, "bgcolor": "rgba(0,0,0,0)"},
        hoverlabel={"bgcolor": colours.cards["op"].fill, "bordercolor": colours.box_lines[1], "align": "left",
                    "font": {"size": 12, "color": colours.ink, "family": FONT_FAMILY}, "namelength": -1},
        xaxis={**whole, "title": {"text": table.across}, **_steps(table.columns),
               "domain": [0, 1] if single else [0, 0.83]},
        yaxis={**log, "title": {"text": f"{table.title}, L2 norm"}} if single
        else {**whole, "title": {"text": table.down}, "domain": [0, 0.78], **_row_ticks(table)},
    )  # fmt: skip
    ends = decades(low, high)[:: len(decades(low, high)) - 1]
    if single or not has_numbers(table):
        drawing.update_layout(yaxis2={"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True})
    else:
        drawing.update_layout(
            yaxis2={**log, "domain": [0.83, 1], "title": {"text": "mean"}, **_ticks(ends)},
            xaxis2={
                **log,
                "domain": [0.86, 1],
                "anchor": "y",
                "title": {"text": "mean"},
                **_ticks(ends),
            },
        )


def _steps(count: int) -> dict[str, Any]:
    return {"range": [-0.5, max(count, 1) - 0.5], **({"dtick": 1} if count <= 25 else {})}


def _row_ticks(table: Grid) -> dict[str, Any]:
    every = max(1, math.ceil(len(table.rows) / 20))
    places = list(range(0, len(table.rows), every))
    return {
        "range": [len(table.rows) - 0.5, -0.5],
        "tickvals": places,
        "ticktext": [table.rows[place] for place in places],
    }


def _ticks(logs: Sequence[float]) -> dict[str, Any]:
    return {"tickvals": list(logs), "ticktext": [power(log) for log in logs]}
