"""Heat maps: the table behind them, the plotly figure, the SVG."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from explorer.export.files import export
from explorer.export.heat import Panel, heat_svg
from explorer.export.png import png
from explorer.figure.heat import heat_figure
from explorer.layout.place import place_fast
from explorer.model.case import BadInput
from explorer.model.graph import Loop
from explorer.model.probes import Probe, ProbeRun
from explorer.model.verdict import Exploration
from explorer.report.content import part
from explorer.rules.grid import Grid, column_profile, grid, log_range, prefixes, row_profile
from explorer.rules.palette import HEAT, heat
from explorer.rules.watched import main_probe
from tests.watched_samples import INNER, OUTER, probe, watched

SVG = "{http://www.w3.org/2000/svg}"
ODD = ((math.nan, math.inf, 0.0), (1.0,), (10.0, 100.0, 1000.0))


def table(*runs: tuple[float, ...]) -> Grid:
    return grid(replace(watched(), trips={OUTER: (len(runs),)}), probe(*runs))


def deep() -> tuple[Exploration, Probe]:
    """Three loops: the innermost ran once in (0, 0), (0, 2) and (1, 0)."""
    found = watched()
    assert found.snapshot is not None
    third = Loop("map_fn/lstm/while", INNER, 3, "While", "while_loop", 3, -1, ())
    snapshot = replace(found.snapshot, loops=(*found.snapshot.loops, third))
    runs = tuple(ProbeRun(at, (1.0, 2.0)) for at in ((0, 0), (0, 2), (1, 0)))
    return replace(found, snapshot=snapshot, trips={}), Probe(third.id, "s", "backward", 2, -1, runs)


def test_axes_are_told_in_the_readers_words() -> None:
    exploration = watched()
    found = grid(exploration, exploration.probes[1])
    assert (found.across, found.down) == ("Keras LSTM, line 12: iteration", "map_fn, line 20: iteration")
    assert found.rows == ("0", "1", "2")
    outer = grid(exploration, exploration.probes[0])
    assert (outer.across, outer.down, outer.rows) == ("map_fn, line 20: iteration", "", ("",))


def test_what_did_not_run_is_told_from_zero() -> None:
    exploration = replace(watched(), trips={OUTER: (4,)})
    runs = (ProbeRun((0,), (1.0, 0.0)), ProbeRun((2,), (3.0,)))
    found = grid(exploration, Probe(INNER, "h", "backward", 2, -1, runs))
    assert found.cells == ((1.0, 0.0), (None, None), (3.0, None), (None, None))


def test_three_loops_are_held_at_one_outer_iteration_or_shown_whole() -> None:
    exploration, inner = deep()
    assert prefixes(inner) == [(0,), (1,)]
    held = grid(exploration, inner, (0,))
    assert held.rows == ("0", "1", "2")
    assert held.cells[1] == (None, None)
    assert (held.down, held.held) == ("Keras LSTM, line 12: iteration", "map_fn, line 20: iteration 0")
    assert grid(exploration, inner).rows == ("0, 0", "0, 1", "0, 2", "1, 0")


def test_runs_whose_outer_iteration_is_hidden_go_by_number() -> None:
    runs = (ProbeRun((), (1.0,)), ProbeRun((), (2.0,)))
    found = grid(watched(), Probe(INNER, "h", "backward", 2, -1, runs))
    assert (found.rows, found.down, found.cells) == (("0", "1"), "run", ((1.0,), (2.0,)))


def test_profiles_are_geometric_means_of_what_is_a_number() -> None:
    found = table(*ODD)
    assert column_profile(found) == pytest.approx([math.sqrt(10), 100.0, 1000.0])
    assert row_profile(found) == [None, pytest.approx(1.0), pytest.approx(100.0)]


def test_the_probe_that_speaks_for_a_loop_is_a_state_with_a_gradient() -> None:
    still = probe((0.0, 0.0), name="idle", slot=3)
    exploration = replace(watched(), probes=(still, probe((1.0, 2.0), name="h")))
    assert main_probe(exploration, INNER).name == "h"
    assert main_probe(exploration, OUTER) is None


def test_a_colour_of_the_scale_stands_for_a_number_only() -> None:
    drawing = heat_figure(table(*ODD))
    z = drawing.data[0].z
    assert np.isnan(z[0]).all()
    assert z[2].tolist() == pytest.approx([1.0, 2.0, 3.0])
    assert (drawing.data[0].zmin, drawing.data[0].zmax) == (0.0, 3.0)
    assert [trace.name for trace in drawing.data if trace.showlegend is None and trace.name] == [
        "NaN", "infinite", "exactly zero",
    ]  # fmt: skip
    assert [list(row) for row in drawing.data[0].text] == [
        ["NaN", "Inf", "exactly 0"], ["1", "not run", "not run"], ["10", "1e+02", "1e+03"],
    ]  # fmt: skip


def test_noise_on_a_line_does_not_fill_the_picture() -> None:
    low, high = log_range(table((1.0, 1.1, 0.9)))
    assert high - low == pytest.approx(1.0)


def test_many_bad_cells_are_one_trace() -> None:
    drawing = heat_figure(table(*[(math.nan, 1.0) * 50] * 40))
    assert len(drawing.data) == 5  # numbers, the legend's sign, the bad cells, two profiles


def test_the_health_of_a_cell_is_in_its_hover() -> None:
    exploration = watched(nan=(1, 3))
    drawing = heat_figure(grid(exploration, exploration.probes[1]))
    assert drawing.data[0].customdata.shape == (3, 7, 5)
    assert drawing.data[0].customdata[1, 3, 3] == 1  # one NaN
    assert "zeros" in drawing.data[0].hovertemplate


def test_one_row_is_a_line() -> None:
    drawing = heat_figure(table((1.0, 0.0, 100.0)))
    assert drawing.data[0].type == "scatter"
    assert drawing.data[0].y[2] == pytest.approx(2.0)
    assert [trace.name for trace in drawing.data[1:]] == ["exactly zero"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("rate", [0.1, 5.0])
def test_svg_is_well_formed_the_same_twice_and_its_words_stay_words(theme: str, rate: float) -> None:
    exploration = watched(rate, nan=(1, 3))
    panels = [Panel(grid(exploration, each), "a < b") for each in exploration.probes]
    drawn = heat_svg(panels, theme, "model.py")
    assert drawn == heat_svg(panels, theme, "model.py")
    texts = {"".join(text.itertext()) for text in ET.fromstring(drawn).iter(f"{SVG}text")}
    assert texts >= {"model.py", "gradient of h in Keras LSTM, line 12", "map_fn, line 20: iteration", "NaN", "a < b"}
    assert png(drawn, 1).startswith(b"\x89PNG")


def test_a_large_map_is_a_small_file() -> None:
    exploration = watched(0.97, outer=100, inner=400)
    drawn = heat_svg([Panel(grid(exploration, exploration.probes[1]), "")])
    assert len(drawn) < 700_000
    assert drawn.count("<path") < 100


def test_the_scale_goes_from_dark_to_bright() -> None:
    assert (heat(0.0), heat(1.0), heat(2.0)) == (HEAT[0], HEAT[-1], HEAT[-1])
    grey = [sum(int(colour[at : at + 2], 16) for at in (1, 3, 5)) for colour in HEAT]
    assert grey == sorted(grey)


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.heat.svg", b"<svg"), ("a.heat.png", b"\x89PNG"), ("A.HEAT.SVG", b"<svg"), ("a.heat.pdf", b"%PDF")],
)
def test_a_name_that_says_heat_gets_the_maps(tmp_path: Path, name: str, start: bytes) -> None:
    path = tmp_path / name
    export(watched(), path, title="sample")
    written = path.read_bytes()
    assert written.startswith(start)
    if start == b"<svg":
        assert "gradient of ta in map_fn, line 20" in written.decode()


def test_a_report_tells_the_first_bad_iteration() -> None:
    found = part(watched(nan=(1, 3)), place_fast)
    assert any("NaN begins in the backward pass at iteration 3" in told for told in found.warnings)


def test_without_probes_there_is_no_map(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--probe"):
        export(replace(watched(), probes=()), tmp_path / "a.heat.svg")
