# SPDX-License-Identifier: GPL-2.0-only
"""Links and queues over time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from .. import units
from ..figure import BLACK, BLUE, ORANGE, PURPLE, SKY, VERMILION, Figure
from ..input.graph import Graph
from ..input.run import Run
from ..input.timeseries import Series, TimeSeries, read_timeseries
from ..page import Block, Section, Table, Text, missing

#: Most series that are shown of each kind.
MOST = {"links": 12, "link": 8, "queue-pair": 8}

#: Inches of a row of panels.
ROW = 0.62


@dataclass(frozen=True)
class Line:
    """What a panel draws of a series."""

    column: str
    color: str
    filled: bool = True


@dataclass(frozen=True)
class Panel:
    """A column of panels; scale makes the values of the axis of those of the file."""

    title: str
    lines: list[Line]
    scale: Callable[[Series], float]


def capacities(graph: Graph | None) -> dict[tuple[str, str], tuple[int, int]]:
    """Return number of ports and sum of rates (bit/s) by the names of the nodes at both ends.

    Names are those of single nodes and, for tiers, names without digits.
    """
    counts: Counter[tuple[str, str]] = Counter()
    sums: Counter[tuple[str, str]] = Counter()
    for link in graph.links if graph else []:
        ends = graph.nodes[link.a].name, graph.nodes[link.b].name
        tiers = tier_of(ends[0]), tier_of(ends[1])
        for pair in {(ends, tiers), (ends[::-1], tiers[::-1])}:
            for key in set(pair):
                counts[key] += 1
                sums[key] += link.rate
    return {key: (counts[key], sums[key]) for key in counts}


def tier_of(name: str) -> str:
    """Return the kind of a node, such as pod-edge of pod0-edge1."""
    return re.sub(r"\d+", "", name)


def capacity_of(series: Series, known: dict[tuple[str, str], tuple[int, int]]) -> float | None:
    """Return what all ports of a series together can send, bit/s, or None if it is not known."""
    count, rate = known.get((series.source, series.target), (0, 0))
    if count == 0 or rate == 0 or (series.kind == "links" and count != series.ports):
        return None
    return rate / count * series.ports


def name_of(series: Series) -> str:
    """Return what a series is called."""
    name = f"{series.source} → {series.target}"
    if series.kind == "queue-pair":
        return f"{name}, queue pair {series.number}"
    return name


def _has(shown: list[Series], column: str) -> bool:
    return any(numpy.nansum(series.bins[column]) > 0 for series in shown)


def _size_scale(shown: list[Series], column: str) -> tuple[float, str]:
    """Return what to divide bytes by, and the unit."""
    largest = max(numpy.nanmax(numpy.append(series.bins[column], 0)) for series in shown)
    for size, unit in [(2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB")]:
        if largest >= 2 * size:
            return size, unit
    return 1.0, "B"


def _size_panel(title: str, column: str, color: str, shown: list[Series]) -> Panel:
    size, unit = _size_scale(shown, column)
    return Panel(f"{title}, {unit}", [Line(column, color)], lambda _: 1 / size)


def _link_panels(shown: list[Series], capacity: list[float | None]) -> list[Panel]:
    """Return the columns of a figure of links or tiers; those in which nothing is are left out."""
    if None in capacity:
        panels = [Panel("rate, Gb/s", [Line("rate_bps", BLUE)], lambda _: 1e-9)]
    else:
        shares = {id(series): 100 / (rate or 1) for series, rate in zip(shown, capacity)}
        panels = [
            Panel("rate, % of capacity", [Line("rate_bps", BLUE)], lambda one: shares[id(one)])
        ]
    if _has(shown, "max_queue_bytes"):
        panels.append(_size_panel("largest queue", "max_queue_bytes", PURPLE, shown))
    if _has(shown, "ecn_marked"):
        panels.append(Panel("ECN marks", [Line("ecn_marked", ORANGE)], lambda _: 1.0))
    if _has(shown, "pause_share"):
        panels.append(Panel("paused, %", [Line("pause_share", VERMILION)], lambda _: 100.0))
    if _has(shown, "dropped"):
        panels.append(Panel("drops", [Line("dropped", BLACK)], lambda _: 1.0))
    return panels


def _pair_panels(shown: list[Series]) -> list[Panel]:
    lines = [Line("rate_bps", SKY), Line("limit_bps", VERMILION, filled=False)]
    panels = [Panel("rate and limit, Gb/s", lines, lambda _: 1e-9)]
    if _has(shown, "window_bytes"):
        panels.append(_size_panel("window", "window_bytes", PURPLE, shown))
    return panels


def _draw_panel(axes: Axes, panel: Panel, series: Series, edges: numpy.ndarray) -> None:
    scale = panel.scale(series)
    for line in panel.lines:
        values = series.bins[line.column] * scale
        if line.filled:
            axes.stairs(numpy.nan_to_num(values), edges, fill=True, color=line.color, linewidth=0)
        else:
            axes.step(
                edges, numpy.append(values, values[-1:]), where="post",
                color=line.color, linewidth=0.8,
            )  # fmt: skip


def _draw(canvas: Canvas, series: TimeSeries, shown: list[Series], panels: list[Panel]) -> None:
    unit, name = units.time_scale(series.end)
    grid = canvas.subplots(len(shown), len(panels), sharex=True, sharey="col", squeeze=False)
    for row, one in zip(grid, shown):
        for axes, panel in zip(row, panels):
            _draw_panel(axes, panel, one, series.edges / unit)
            axes.grid(True)
            axes.locator_params(axis="y", nbins=3)
        row[0].annotate(
            name_of(one), (0, 1), xycoords="axes fraction", xytext=(1, 2),
            textcoords="offset points", fontsize=6.5, ha="left", va="bottom", annotation_clip=False,
        )  # fmt: skip
    for axes, panel in zip(grid[0], panels):
        axes.set_title(panel.title, fontsize=8, pad=12)
    for axes in grid[-1]:
        axes.set_xlim(0, series.end / unit)
        axes.set_xlabel(f"time, {name}")
    for axes, _ in zip(grid[0], panels):
        axes.set_ylim(bottom=0)


def _figure(
    name: str, caption: str, series: TimeSeries, shown: list[Series], panels: list[Panel]
) -> Figure:
    return Figure(
        name,
        caption,
        2,
        0.75 + ROW * len(shown),
        lambda canvas: _draw(canvas, series, shown, panels),
    )


def _left_out(series: TimeSeries, kind: str, noun: str) -> str:
    shown, count = len(series.of(kind)), series.counts[kind]
    if shown == count:
        return ""
    return f" Shown are the {shown} of {units.plural(count, noun)} that sent most."


def _mean_of(series: Series, column: str) -> float:
    return series.totals[column] / max(1, series.totals["rows"])


def _link_table(shown: list[Series], capacity: list[float | None], caption: str) -> Table:
    rows = []
    for series, most in zip(shown, capacity):
        mean, peak = _mean_of(series, "rate_sum"), series.totals["rate_max"]
        if most:
            rates = [units.rate(most), units.percent(mean / most), units.percent(peak / most)]
        else:
            rates = ["—", units.rate(mean), units.rate(peak)]
        rows.append(
            [
                name_of(series),
                units.number(series.ports),
                *rates,
                units.size(numpy.nan_to_num(series.totals["queue_max"])),
                units.number(series.totals["marked"]),
                units.percent(_mean_of(series, "pause_sum"), 2),
                units.number(series.totals["dropped"]),
            ]
        )
    header = ["", "ports", "capacity", "mean rate", "highest", "longest queue", "ECN marks"]
    return Table([*header, "paused", "drops"], rows, caption=caption)


def _pair_table(series: TimeSeries, shown: list[Series]) -> Table:
    def known(value: float, text: Callable[[float], str]) -> str:
        return "—" if numpy.isnan(value) else text(value)

    rows = [
        [
            name_of(one),
            units.size(one.totals["rate_sum"] * series.interval / 8e9),
            units.rate(_mean_of(one, "rate_sum")),
            units.rate(one.totals["rate_max"]),
            known(one.totals["limit_min"], units.rate),
            known(one.totals["window_min"], units.size),
        ]
        for one in shown
    ]
    header = ["", "acknowledged", "mean rate", "highest", "lowest limit", "smallest window"]
    return Table(header, rows, caption="Queue pairs")


def _link_blocks(series: TimeSeries, graph: Graph | None, kind: str) -> list[Block]:
    shown = series.of(kind)
    if not shown:
        return []
    known = capacities(graph)
    capacity = [capacity_of(one, known) for one in shown]
    if kind == "links":
        name, title = "timeseries-tiers", "Tiers"
        what = "All links from nodes of one kind to those of another one: rate of all ports "
        what += "together, largest queue of a single port, marks and drops of all, mean pause."
    else:
        name, title = "timeseries-links", "Links"
        what = "Single links: rate, largest queue, marks, pause and drops."
    caption = what + " What never happened has no column." + _left_out(series, kind, "link")
    return [
        _figure(name, caption, series, shown, _link_panels(shown, capacity)),
        _link_table(shown, capacity, title),
    ]


def _pair_blocks(series: TimeSeries) -> list[Block]:
    shown = series.of("queue-pair")
    if not shown:
        return []
    caption = (
        "Queue pairs: rate at which payload was acknowledged (filled) and what congestion control "
        "allowed (line), and its window if it has one."
    ) + _left_out(series, "queue-pair", "queue pair")
    panels = _pair_panels(shown)
    return [
        _figure("timeseries-queue-pairs", caption, series, shown, panels),
        _pair_table(series, shown),
    ]


def make_section(run: Run) -> Section:
    """Return what links, queues and congestion control did over time."""
    section = Section("Links and queues over time")
    path = run.table("timeseries.csv")
    series = read_timeseries(path, MOST) if path else None
    if series is None:
        reason = "timeseries.csv has no rows" if path else (
            "there is no timeseries.csv (wl-replay --timeSeries=100us writes it)"
        )
        section.blocks.append(missing(f"How links were used over time is not known: {reason}."))
        return section
    for kind in ("links", "link"):
        section.blocks += _link_blocks(series, run.graph, kind)
    section.blocks += _pair_blocks(series)
    interval = units.time(series.interval)
    drawn = f"Intervals are {interval} long, and tables are of these."
    if series.each > 1:
        drawn += (
            f" A step of a figure is {series.each} of them: mean of rates, pauses, limits and "
            "windows, largest queue, sum of marks and drops."
        )
    section.blocks.append(Text(drawn, "note"))
    return section
