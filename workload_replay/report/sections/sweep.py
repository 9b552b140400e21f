# SPDX-License-Identifier: GPL-2.0-only
"""A sweep: which dimension of its grid matters for which time, and by how much."""

from __future__ import annotations

import math

import numpy
import pandas
from matplotlib.figure import Figure as Canvas

from .. import units
from ..figure import PART_COLORS, RUN_COLORS, Figure
from ..input.sweep import Sweep
from ..page import Block, Section, Table, Text

#: What results are called.
NAMES = {
    "iteration_ns": "iteration time",
    "pipeline_ns": "pipeline time",
    "data_parallel_ns": "data-parallel time",
    "exposed_ep_ns": "expert-parallel time",
    "exposed_tp_ns": "tensor-parallel time",
}

#: What is no dimension's.
REST = {"(together)": "dimensions together", "(seeds)": "seeds"}


def _name(result: str) -> str:
    return NAMES.get(result, result)


def _parts(sweep: Sweep) -> list[str]:
    """Return what variance is put down to, dimensions first."""
    present = set(sweep.effects["dimension"])
    return [*sweep.dimensions, *(name for name in REST if name in present)]


def _draw_shares(canvas: Canvas, sweep: Sweep) -> None:
    """Draw a bar for each result and dimension."""
    axes = canvas.add_subplot()
    parts = _parts(sweep)
    height = 0.8 / len(parts)
    colors = [*RUN_COLORS * (1 + len(parts) // len(RUN_COLORS))]
    for i, part in enumerate(parts):
        shares = [100 * sweep.shares(result).get(part, 0) for result in sweep.results]
        color = PART_COLORS["compute"] if part in REST else colors[i]
        hatch = "////" if part == "(together)" else None
        places = numpy.arange(len(shares)) + (i - (len(parts) - 1) / 2) * height
        label = REST.get(part, part)
        axes.barh(places, shares, height * 0.9, color=color, hatch=hatch, label=label)
    axes.set_yticks(range(len(sweep.results)), [_name(result) for result in sweep.results])
    axes.set_ylim(len(sweep.results) - 0.45, -0.55)
    axes.set_xlim(0, 100)
    axes.grid(axis="x")
    axes.set_xlabel("share of the variance of all runs, %")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=2)


def _of_result(sweep: Sweep, result: str) -> pandas.DataFrame:
    rows = sweep.effects[sweep.effects["result"] == result]
    return rows[rows["dimension"].isin(sweep.dimensions)]


def _draw_effects(canvas: Canvas, sweep: Sweep, result: str) -> None:
    """Draw the mean of each value of each dimension, and its difference to the first."""
    rows = _of_result(sweep, result)
    unit, name = units.time_scale(float(rows["mean_ns"].max()))
    axes = canvas.add_subplot()
    place, places, labels = 0.0, [], []
    for number, (dimension, group) in enumerate(rows.groupby("dimension", sort=False)):
        color = RUN_COLORS[number % len(RUN_COLORS)]
        axes.text(-0.01, place, dimension, transform=axes.get_yaxis_transform(), ha="right",
                  va="center", weight="bold", fontsize=7)  # fmt: skip
        place += 1
        first = float(group["mean_ns"].iloc[0])
        for row in group.to_dict("records"):
            # Means of values that are combined with other ones do not compare.
            difference, half = row["difference_ns"], row["difference_ns ci95"]
            mean = row["mean_ns"] if math.isnan(difference) else first + difference
            bar = None if math.isnan(half) else half / unit
            axes.errorbar(mean / unit, place, xerr=bar, fmt="o", color=color,
                          markersize=4, capsize=2.5, elinewidth=0.9)  # fmt: skip
            places.append(place)
            labels.append(row["value"])
            place += 1
    axes.set_yticks(places, labels)
    axes.set_ylim(place - 0.4, -0.6)
    axes.grid(axis="x")
    axes.set_xlabel(f"{_name(result)}, {name}")


def _effects_table(sweep: Sweep, result: str) -> Table:
    rows = []
    shares = sweep.shares(result)
    last = ""
    for row in _of_result(sweep, result).to_dict("records"):
        name = row["dimension"]
        new = name != last
        last = name
        change = row["difference_ns"]
        text = "" if math.isnan(change) else _signed(change, row["difference_ns ci95"])
        share = units.percent(shares[name]) if new else ""
        mean = units.time(row["mean_ns"])
        rows.append([name if new else "", row["value"], share, mean, text])
    for part, title in REST.items():
        if part in shares:
            rows.append([title, "", units.percent(shares[part]), "", ""])
    header = ["dimension", "value", "of variance", "mean", "to the first"]
    return Table(header, rows, names=2, caption=_name(result).capitalize())


def _signed(value: float, half: float) -> str:
    sign = "+" if value >= 0 else "−"
    interval = "" if math.isnan(half) else f" ± {units.time(half)}"
    return f"{sign}{units.time(abs(value))}{interval}"


def _combinations_table(sweep: Sweep) -> Table:
    rows = []
    for row in sweep.summary.to_dict("records"):
        cells = [row[name] for name in sweep.dimensions]
        of = f" of {row['runs'] + row['incomplete']}" if row["incomplete"] else ""
        cells.append(f"{row['runs']}{of}")
        for result in sweep.results:
            value, half = row[result], row[f"{result} ci95"]
            interval = "" if math.isnan(half) else f" ± {units.time(half)}"
            cells.append("—" if math.isnan(value) else units.time(value) + interval)
        rows.append(cells)
    header = [*sweep.dimensions, "runs", *map(_name, sweep.results)]
    return Table(header, rows, names=len(sweep.dimensions))


def make_section(sweep: Sweep) -> Section:
    """Return what a sweep found out."""
    title = f"Sweep {sweep.label}"
    if not sweep.results:
        return Section(title, [Text("No run of this sweep was finished.", "missing")])
    blocks: list[Block] = [
        Text(
            "Pipeline time is exposed pp and bubble, data-parallel time exposed dp and edp, means "
            "of the ranks. A dimension's share is that of the variance of all runs that its value "
            "explains by itself; differences are means over pairs of runs that are equal in the "
            "rest; ± is half of the 95 % confidence interval over the seeds (Student's t).",
            "note",
        ),
        Figure(
            "sweep-shares", "What matters: shares of the variance of all runs.", 1,
            1.2 + 0.16 * len(sweep.results) * len(_parts(sweep)),
            lambda canvas: _draw_shares(canvas, sweep),
        ),
    ]  # fmt: skip
    for result in sweep.results:
        values = len(_of_result(sweep, result)) + len(sweep.dimensions)
        caption = (
            f"{_name(result).capitalize()} by value: mean of the first one, and from there the "
            "differences, with their 95 % confidence intervals."
        )
        name = "sweep-" + result.removesuffix("_ns").replace("_", "-")
        blocks.append(
            Figure(
                name, caption, 1, 0.7 + 0.17 * values,
                lambda canvas, result=result: _draw_effects(canvas, sweep, result),
            )
        )  # fmt: skip
    blocks += [_effects_table(sweep, result) for result in sweep.results]
    blocks.append(_combinations_table(sweep))
    return Section(title, blocks)
