# SPDX-License-Identifier: GPL-2.0-only
"""The network: how it is built, how its links were used, and which were the busiest."""

from __future__ import annotations

import pandas
from matplotlib.figure import Figure as Canvas

from .. import units
from ..fabric.drawing import Drawing
from ..fabric.layout import draw_graph
from ..fabric.picture import Painter, picture_height
from ..figure import Figure
from ..input.graph import LINK_COLUMNS, Graph
from ..input.run import Run
from ..input.tables import read_table
from ..page import Section, Table, Text, missing

#: Rows of the table.
MAX_ROWS = 12


def describe_graph(graph: Graph) -> str:
    """Return how many there are of what."""
    kinds = [node.kind for node in graph.nodes]
    servers = len({graph.nodes[host].server for host in graph.hosts} - {None})
    inside = f" in {units.plural(servers, 'server')}" if servers else ""
    counts = [
        units.plural(len(graph.hosts), "host") + inside,
        units.plural(kinds.count("switch"), "switch"),
        units.plural(kinds.count("nvswitch"), "NVSwitch"),
        units.plural(len(graph.links), "link"),
    ]
    return ", ".join(counts)


def _draw_fabric(canvas: Canvas, drawing: Drawing) -> None:
    painter = Painter(drawing, canvas)
    handles = painter.paint_rates()
    painter.paint_boxes()
    painter.legend(handles)


def fabric_figure(graph: Graph) -> Figure:
    """Return the picture of a network, its links coloured by rate."""
    drawing = draw_graph(graph)
    return Figure(
        "fabric",
        f"The network{' ' + graph.name if graph.name else ''}: {describe_graph(graph)}.",
        2,
        picture_height(drawing),
        lambda canvas: _draw_fabric(canvas, drawing),
    )


def use_by_link(links: pandas.DataFrame, graph: Graph) -> list[float]:
    """Return by link of the graph: the share of its rate that was used in its busier direction."""
    names = [node.name for node in graph.nodes]
    used: dict[tuple[str, str], list[float]] = {}
    busier = links.groupby("link", sort=True).agg(
        {"from": "first", "to": "first", "utilisation": "max"}
    )
    for row in busier.itertuples(index=False):
        used.setdefault((min(row[0], row[1]), max(row[0], row[1])), []).append(float(row[2]))
    values = []
    for link in graph.links:
        a, b = names[link.a], names[link.b]
        parallel = used.get((min(a, b), max(a, b)))
        # Parallel links follow each other in both files.
        values.append(parallel.pop(0) if parallel else 0.0)
    return values


def _draw_use(canvas: Canvas, drawing: Drawing, used: list[float]) -> None:
    painter = Painter(drawing, canvas)
    painter.paint_use(used, canvas)
    painter.paint_boxes()


def _busiest(links: pandas.DataFrame) -> Table:
    links = links.sort_values("utilisation", ascending=False, kind="stable")
    rows = [
        [
            f"{row[1]} → {row[2]}",
            units.rate(row[3]),
            units.percent(row[5]),
            units.size(row[4]),
            units.size(row[6]),
            units.number(row[7]),
            units.time(row[8]),
            units.number(row[9]),
        ]
        for row in links.head(MAX_ROWS)[list(LINK_COLUMNS)].itertuples(index=False)
    ]
    header = ["link", "rate", "used", "sent", "longest queue", "ECN marks", "PFC pause", "drops"]
    return Table(header, rows, caption="Busiest links")


def make_section(run: Run) -> Section:
    """Return the network of a run and the use of its links."""
    section = Section("The network and its links")
    graph = run.graph
    if graph is None:
        section.blocks.append(
            missing(
                "The network is not known: there is no fabric.json, which runs of today write, "
                "and links.csv has no links."
            )
        )
    else:
        section.blocks.append(fabric_figure(graph))
    path = run.table("links.csv")
    links = read_table(path, LINK_COLUMNS) if path else pandas.DataFrame()
    if links.empty:
        reason = "links.csv has none, as the ideal network has no links" if path else "no links.csv"
        section.blocks.append(missing(f"How links were used is not known: {reason}."))
        return section
    if graph is not None:
        drawing = draw_graph(graph)
        used = use_by_link(links, graph)
        section.blocks.append(
            Figure(
                "link-use",
                "Use of the links over all iterations: share of the rate, in the busier direction; "
                "of parallel links the busiest.",
                2,
                picture_height(drawing),
                lambda canvas: _draw_use(canvas, drawing, used),
            )
        )
        if graph.guessed:
            section.blocks.append(
                Text("Drawn from links.csv: servers and kinds of nodes follow from names.", "note")
            )
    section.blocks.append(_busiest(links))
    return section
