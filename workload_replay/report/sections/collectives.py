# SPDX-License-Identifier: GPL-2.0-only
"""Collectives, and how near they came to the rate of the links that they use."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy
import pandas
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from .. import units
from ..figure import Figure, color_of
from ..input.flows import FlowCounts
from ..input.graph import Graph
from ..input.job import Job
from ..input.run import Run
from ..input.tables import read_chunks
from ..page import Section, Table, Text, missing
from ..units import DIMENSIONS
from .names import named

COLUMNS = {
    "communicator": "category",
    "dimension": "category",
    "kind": "category",
    "algorithm": "category",
    "bytes": "int64",
    "first_arrival_ns": "int64",
    "last_arrival_ns": "int64",
    "end_ns": "int64",
    "busbw_bytes_per_s": "int64",
}

KEYS = ["dimension", "kind", "algorithm", "bytes"]

#: Rows of the table.
MAX_ROWS = 20

MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]


def bound_of(members: set[int], graph: Graph, job: Job) -> float | None:
    """Return the bus bandwidth that the links of a communicator's members allow, bytes/s.

    Within a server it is the rate of a GPU's NVLink. Between servers a ring enters and leaves each
    server once for every member in it, so the network gives it as many NICs as the server has
    members, at most as much as NVLink gives. None if it is not known.
    """
    hosts = [graph.hosts[job.host_of(rank)] for rank in members if rank < len(graph.hosts)]
    if not hosts:
        return None
    inside, outside = graph.host_rates()
    servers = Counter(
        graph.nodes[host].server if graph.nodes[host].server is not None else -1 - host
        for host in hosts
    )
    if len(servers) == 1 and inside > 0:
        return inside / 8
    network = outside * min(servers.values()) / 8
    alone = max(servers.values()) == 1
    return network if alone or inside == 0 else min(network, inside / 8)


def read_collectives(
    path: Path, job: Job, flows: FlowCounts | None, graph: Graph | None
) -> pandas.DataFrame:
    """Return the collectives by dimension, kind, algorithm and size: count, mean_ns, late_ns (from
    the first to the last member's arrival), busbw and bound (bytes/s; bound NaN if not known).
    """
    bounds: dict[str, float | None] = {}
    sums: list[pandas.DataFrame] = []
    for chunk in read_chunks(path, COLUMNS, job.name):
        communicators = [str(name) for name in chunk["communicator"].cat.categories]
        for name in communicators:
            if name not in bounds:
                key = f"{job.name}/{name}" if job.name else name
                members = flows.members.get(key, set()) if flows else set()
                bounds[name] = bound_of(members, graph, job) if graph and members else None
        of_category = numpy.array([bounds[name] or numpy.nan for name in communicators])
        part = pandas.DataFrame(
            {
                "dimension": chunk["dimension"].astype(str),
                "kind": chunk["kind"].astype(str),
                "algorithm": chunk["algorithm"].astype(str),
                "bytes": chunk["bytes"],
                "count": 1,
                "time": chunk["end_ns"] - chunk["first_arrival_ns"],
                "late": chunk["last_arrival_ns"] - chunk["first_arrival_ns"],
                "busbw": chunk["busbw_bytes_per_s"].astype(float),
                "bound": of_category[chunk["communicator"].cat.codes] if communicators else [],
            }
        )
        sums.append(_sum(part))
    if not sums:
        return pandas.DataFrame()
    table = _sum(pandas.concat(sums, ignore_index=True))
    for column in ("time", "late", "busbw"):
        table[column] = table[column] / table["count"]
    return table.sort_values("time", key=lambda time: -time * table["count"], kind="stable")


def _sum(rows: pandas.DataFrame) -> pandas.DataFrame:
    """Add up rows of the same key; the bound is the least one that is known."""
    groups = rows.groupby(KEYS, as_index=False, sort=True)
    sums = dict.fromkeys(["count", "time", "late", "busbw"], "sum")
    return groups.agg({**sums, "bound": "min"})


def _draw(canvas: Canvas, table: pandas.DataFrame, lines: list[tuple[str, float]]) -> None:
    axes = canvas.add_subplot()
    kinds = sorted(set(table["kind"]))
    for (dimension, kind), rows in table.groupby(["dimension", "kind"]):
        axes.scatter(
            rows["bytes"].clip(lower=1), rows["busbw"] / 1e9, s=16, color=color_of(dimension),
            marker=MARKERS[kinds.index(kind) % len(MARKERS)], label=f"{dimension} {kind}",
            edgecolor="white", linewidth=0.3, zorder=3,
        )  # fmt: skip
    draw_bounds(axes, lines)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("bytes of the collective")
    axes.set_ylabel("bus bandwidth, GB/s")
    low, high = axes.get_xlim()
    powers = numpy.arange(numpy.ceil(numpy.log2(low)), numpy.log2(high))
    powers = powers[:: -(-len(powers) // 6)]
    axes.set_xticks(2.0**powers, [size_label(2.0**power) for power in powers])
    axes.minorticks_off()
    axes.grid(True)
    axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncol=2, columnspacing=0.8)


def size_label(count: float) -> str:
    """Return a size for an axis, without decimals."""
    text, unit = units.size(count).split(" ")
    return f"{float(text.replace(',', '')):g} {unit}"


def draw_bounds(axes: Axes, lines: list[tuple[str, float]]) -> None:
    """Draw the rates of links as lines across."""
    for name, bound in lines:
        axes.axhline(bound / 1e9, color="#444444", linewidth=0.8, linestyle=(0, (4, 2)))
        axes.annotate(
            name, (0.01, bound / 1e9), xycoords=("axes fraction", "data"), xytext=(0, 2),
            textcoords="offset points", ha="left", va="bottom", fontsize=6, color="#444444",
        )  # fmt: skip


def rate_lines(graph: Graph | None) -> list[tuple[str, float]]:
    """Return names and rates (bytes/s) of a GPU's links."""
    if graph is None:
        return []
    inside, outside = graph.host_rates()
    lines = [("NVLink of a GPU", inside / 8), ("network port of a GPU", outside / 8)]
    return [(name, rate) for name, rate in lines if rate > 0]


def make_section(run: Run, job: Job, flows: FlowCounts | None) -> Section:
    """Return a job's collectives."""
    section = Section(named("Collectives against their bound", job))
    path = run.table("collectives.csv")
    if path is None:
        section.blocks.append(missing("There is no collectives.csv; the figure needs it."))
        return section
    table = read_collectives(path, job, flows, run.graph)
    if table.empty:
        section.blocks.append(Text("No collective ended."))
        return section
    lines = rate_lines(run.graph)
    section.blocks.append(
        Figure(
            named("collectives", job),
            "Bus bandwidth of collectives (as nccl-tests counts it, from the first member's "
            "arrival to the end; mean of equal ones) over their size, and a GPU's link rates.",
            1,
            2.9,
            lambda canvas: _draw(canvas, table, lines),
        )
    )
    section.blocks.append(_table(table))
    if table["bound"].isna().any():
        section.blocks.append(
            Text("A bound needs flows.csv, and fabric.json or links.csv.", "note")
        )
    section.blocks.append(
        Text(
            "The bound is the rate of a GPU's NVLink for members in one server, else that of as "
            "many network ports as the fewest members in a server, and at most NVLink's. Reduction "
            "in switches (nvls) may exceed it; late is from the first member's arrival to the last's.",
            "note",
        )
    )
    return section


def _table(table: pandas.DataFrame) -> Table:
    order = {name: i for i, name in enumerate(DIMENSIONS)}
    shown = table.head(MAX_ROWS)
    shown = shown.sort_values("dimension", key=lambda names: names.map(order), kind="stable")
    rows = []
    for row in shown.itertuples():
        known = not numpy.isnan(row.bound)
        rows.append(
            [
                f"{row.dimension} {row.kind}",
                row.algorithm,
                units.size(row.bytes),
                units.number(row.count),
                units.time(row.time),
                units.time(row.late),
                f"{row.busbw / 1e9:.2f}",
                f"{row.bound / 1e9:.1f}" if known else "—",
                units.percent(row.busbw / row.bound) if known else "—",
            ]
        )
    header = ["collective", "algorithm", "size", "count", "mean time", "late", "busbw, GB/s"]
    more = f"The {MAX_ROWS} that took most time of {len(table)}" if len(table) > MAX_ROWS else ""
    return Table([*header, "bound, GB/s", "of bound"], rows, names=2, caption=more)
