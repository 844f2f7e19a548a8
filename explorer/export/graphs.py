"""The graph for other tools: DOT of what the picture shows, GraphML of every op."""

from __future__ import annotations

import io
from collections import defaultdict

import networkx as nx

from explorer.export.marks import clean
from explorer.layout.dataflow import dataflow
from explorer.layout.passing import Passing, better
from explorer.layout.values import Box, Card, Link, Nest
from explorer.model.graph import Op, Snapshot
from explorer.model.verdict import GradientFlow
from explorer.rules.statuses import look

_SHAPES = {"slot": "ellipse", "next": "ellipse", "source": "cds", "loss": "octagon", "run": "box3d"}


def dot(nest: Nest, title: str = "") -> str:
    """What the picture shows, for Graphviz: loops are clusters, the status is told by colour, style and tooltip."""
    inside: dict[str | None, list[Box]] = defaultdict(list)
    members: dict[str, list[Card]] = defaultdict(list)
    for box in nest.boxes:
        inside[box.parent or None].append(box)
    for card in nest.cards:
        members[card.loop].append(card)
    rows = ["digraph gradient {", f"  graph [label={_quoted(title)} labelloc=t compound=true fontname=Helvetica];"]
    rows += [
        "  node [shape=box style=rounded fontname=Helvetica fontsize=11];",
        "  edge [penwidth=1.6 fontname=Helvetica fontsize=10];",
    ]

    def level(loop: str | None, indent: str) -> None:
        rows.extend(indent + _node(card) for card in members[loop or ""])
        for box in inside[loop]:
            words = " · ".join(filter(None, (box.title, box.subtitle, box.note)))
            style = "rounded,dashed" if box.kind == "python" else "rounded"
            rows.append(f"{indent}subgraph {_quoted('cluster_' + box.id)} {{")
            rows.append(f"{indent}  graph [label={_quoted(words)} style={_quoted(style)} tooltip={_quoted(box.hint)}];")
            level(box.id, indent + "  ")
            rows.append(indent + "}")

    level(None, "  ")
    causes = {mark.id: mark.text for mark in nest.marks}
    rows += ["  " + _edge(link, causes) for link in nest.links]
    return "\n".join([*rows, "}"]) + "\n"


def _node(card: Card) -> str:
    shape = _SHAPES.get(card.kind, "box")
    colour = look(card.status).light
    return (
        f"{_quoted(card.id)} [label={_quoted(chr(10).join(card.lines))} shape={shape} color={_quoted(colour)} "
        f"tooltip={_quoted(card.hint)}];"
    )


def _edge(link: Link, causes: dict[str, str]) -> str:
    style = look(link.status)
    cause = causes.get(link.barrier or "", "")
    told = f" label={_quoted(cause)} fontcolor={_quoted(style.light)}" if cause else ""
    pattern = "dashed" if style.dash else "solid"
    back = " constraint=false" if link.carried else ""
    return (
        f"{_quoted(link.start)} -> {_quoted(link.end)} [color={_quoted(style.light)} style={pattern} "
        f"tooltip={_quoted(style.label)}{told}{back}];"
    )


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def graphml(snapshot: Snapshot, flow: GradientFlow | None) -> str:
    """Every op and every data edge, borders of function bodies included, each with its gradient status.

    A node is ``op:ID`` with type, name, loop and line; an edge's ``kind`` is ``data`` inside one body, ``border`` where
    a value enters or leaves one or is carried to the next iteration.
    """
    passing = Passing.of(snapshot, flow, dataflow(snapshot))
    graph = nx.MultiDiGraph()
    for op in snapshot.ops:
        graph.add_node(f"op:{op.id}", **_facts(snapshot, op, passing))
    for op in snapshot.ops:
        for place, tensor in enumerate(op.inputs):
            _add(graph, snapshot, tensor, op.id, passing.into(op, place), "data")
    for tensor, others in passing.data.behind.items():
        for other in others:
            _add(graph, snapshot, other, snapshot.tensors[tensor].op, passing.tensor(tensor), "border")
    for source in snapshot.sources:
        if source.tensor >= 0:
            graph.nodes[f"op:{snapshot.tensors[source.tensor].op}"]["source"] = clean(source.name)
    written = io.BytesIO()
    nx.write_graphml(graph, written)
    return written.getvalue().decode()


def _facts(snapshot: Snapshot, op: Op, passing: Passing) -> dict[str, str | int]:
    status = "nondiff"
    for output in op.outputs:
        status = better(status, passing.tensor(output))
    where = snapshot.where(op.stack)
    return {
        "type": clean(op.type), "name": clean(op.name), "loop": op.loop, "status": status,
        **({"file": clean(where.file), "line": where.line} if where else {}),
    }  # fmt: skip


def _add(graph: nx.MultiDiGraph, snapshot: Snapshot, tensor: int, end: int, status: str, kind: str) -> None:
    made = snapshot.tensors[tensor]
    shape = "unknown" if made.shape is None else ",".join(map(str, made.shape))
    graph.add_edge(f"op:{made.op}", f"op:{end}", status=status, kind=kind, dtype=made.dtype, shape=shape)
