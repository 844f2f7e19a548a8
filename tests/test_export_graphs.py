"""The graph for other tools and the reports: what is in them, and that others can read it."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pygraphviz
import pytest

from explorer.export.graphs import dot, graphml
from explorer.layout.place import place
from explorer.model.case import BadInput
from explorer.model.probes import Probe, ProbeRun
from explorer.report.files import report
from tests import exploration_samples as samples
from tests.test_layout_nest import SAMPLES, decided

TROUBLE = samples.nested_lstm("integer_cast")


@pytest.mark.parametrize("name", SAMPLES)
def test_graphviz_reads_what_the_picture_shows(name: str) -> None:
    nest = decided(name)
    graph = pygraphviz.AGraph(string=dot(nest, 'a "quoted" title'))
    assert set(graph.nodes()) == {card.id for card in nest.cards}
    assert len(graph.edges()) == len(nest.links)
    clusters = re.findall(r"subgraph", dot(nest))
    assert len(clusters) == len(nest.boxes)


def test_every_op_and_its_status_is_in_graphml() -> None:
    snapshot = TROUBLE.snapshot
    graph = nx.read_graphml(io.StringIO(graphml(snapshot, TROUBLE.flow)))
    assert len(graph) == len(snapshot.ops)
    data = [edge for *_, edge in graph.edges(data=True) if edge["kind"] == "data"]
    assert len(data) == sum(len(op.inputs) for op in snapshot.ops)
    barrier = TROUBLE.flow.barriers[0]
    assert "blocked" in {edge["status"] for *_, edge in graph.in_edges(f"op:{barrier.op}", data=True)}
    named = {node.get("source") for _, node in graph.nodes(data=True)} - {None}
    assert named == {source.name for source in snapshot.sources if source.tensor >= 0}


def test_without_a_prediction_nothing_is_claimed() -> None:
    graph = nx.read_graphml(io.StringIO(graphml(TROUBLE.snapshot, None)))
    assert {edge["status"] for *_, edge in graph.edges(data=True)} == {"unknown", "nondiff"}


def test_a_report_names_barrier_line_remedy_and_command(tmp_path: Path) -> None:
    barrier = TROUBLE.flow.barriers[0]
    for suffix in (".html", ".md"):
        file = tmp_path / f"r{suffix}"
        report([TROUBLE], file, placing=place)
        told = file.read_text(encoding="utf-8")
        for part in (barrier.op_type, f":{barrier.location.line}", barrier.cause, "python -m explorer run"):
            assert part in told, part
        assert not re.search(r"{[{%]", told)
    assert (tmp_path / "r-nest.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "(r-nest.svg)" in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_a_report_shows_the_iterations_where_they_were_watched(tmp_path: Path) -> None:
    loop = TROUBLE.snapshot.loops[0]
    watched = replace(TROUBLE, probes=(Probe(loop.id, "h", "backward", runs=(ProbeRun((), (1.0, 2.0, 4.0)),)),))
    report([watched], tmp_path / "r.md", placing=place)
    told = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "(r-iterations.svg)" in told
    assert "gradient of h" in (tmp_path / "r-iterations.svg").read_text(encoding="utf-8")


def test_a_report_asks_nobody_and_runs_nothing(tmp_path: Path) -> None:
    report([TROUBLE], tmp_path / "r.html", placing=place)
    told = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert not re.search(r"""(?:src|href)=["']?(?!#)|<script|@import|url\(""", told)


def test_a_report_of_another_kind_is_refused_with_the_kinds_there_are(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\.html or \.md"):
        report([TROUBLE], tmp_path / "r.docx", placing=place)
