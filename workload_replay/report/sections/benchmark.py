# SPDX-License-Identifier: GPL-2.0-only
"""Collectives timed by wl-collective, size by size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from pandas import DataFrame, Series

from .. import units
from ..figure import RUN_COLORS, Figure
from ..input.benchmark import Benchmark
from ..page import Block, Section, Table, Text
from .collectives import size_label


def _size_axis(axes: Axes, benchmarks: Sequence[Benchmark]) -> None:
    sizes = sorted({int(size) for bench in benchmarks for size in bench.rows["size_bytes"] if size})
    axes.set_xscale("log", base=2)
    low, high = numpy.log2(sizes[0]), numpy.log2(sizes[-1])
    step = max(1, round((high - low) / 6))
    ticks = numpy.arange(numpy.ceil(low), high + 0.5, step)
    axes.set_xticks(2.0**ticks, [size_label(2.0**tick) for tick in ticks])
    axes.minorticks_off()
    axes.grid(True)
    axes.set_xlabel("size")


def _reference(rows: DataFrame, column: str) -> Series:
    """Return a column as it is in the reference; bus bandwidth goes with 1 / time."""
    return rows["reference_us"] if column == "time_us" else rows["busbw_gbs"] * rows["ratio"]


def _draw(
    canvas: Canvas, benchmarks: Sequence[Benchmark], column: str, name: str, log: bool
) -> None:
    axes = canvas.add_subplot()
    for bench, color in zip(benchmarks, RUN_COLORS * len(benchmarks)):
        rows = bench.rows[bench.rows["size_bytes"] > 0]
        axes.plot(
            rows["size_bytes"], rows[column], "o-", markersize=2.5, color=color, label=bench.label
        )
        if bench.has_reference:
            known = rows[rows["ratio"].notna()]
            label = f"reference of {bench.label}"
            axes.plot(known["size_bytes"], _reference(known, column), "--", color=color, label=label)
    _size_axis(axes, benchmarks)
    if log:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_ylabel(name)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=2)


def _table(benchmarks: Sequence[Benchmark]) -> Table:
    """Return time and bus bandwidth by size, each file beside the others."""
    by_size = [dict(zip(bench.rows["size_bytes"], bench.rows.itertuples())) for bench in benchmarks]
    rows = []
    for size in sorted({size for table in by_size for size in table}):
        row = [units.size(size)]
        for table in by_size:
            entry = table.get(size)
            if entry is None:
                row += ["—", "—", "—"]
            else:
                row += [units.time(1000 * entry.time_us), f"{entry.busbw_gbs:.2f}", entry.algorithm]
        rows.append(row)
    header = ["size"]
    for bench in benchmarks:
        header += [f"{bench.label}: time", "busbw, GB/s", "algorithm"]
    return Table(header, rows)


def make_section(benchmarks: Sequence[Benchmark]) -> Section:
    """Return the collectives of some files of wl-collective."""
    if all(bench.rows.empty for bench in benchmarks):
        return Section("Collectives by size", [Text("The files have no rows.", "missing")])
    blocks: list[Block] = [
        Figure(
            "benchmark-busbw", "Bus bandwidth by size, as nccl-tests counts it.", 1, 2.7,
            lambda canvas: _draw(canvas, benchmarks, "busbw_gbs", "bus bandwidth, GB/s", False),
        ),
        Figure(
            "benchmark-time", "Time by size.", 1, 2.7,
            lambda canvas: _draw(canvas, benchmarks, "time_us", "time, µs", True),
        ),
        _table(benchmarks),
    ]  # fmt: skip
    return Section("Collectives by size", blocks)
