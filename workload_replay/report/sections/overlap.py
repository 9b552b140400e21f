# SPDX-License-Identifier: GPL-2.0-only
"""Communication that computing hides, and that it does not."""

from __future__ import annotations

import numpy
import pandas
from matplotlib.figure import Figure as Canvas

from .. import units
from ..figure import Figure, color_of
from ..input.job import Job
from ..input.ops import Ops
from ..page import Section, Table, Text, missing
from ..units import DIMENSIONS
from .names import named


#: What is said where there is no ops.csv: if summary.json says what is hidden, and if it does not.
HIDDEN_OF_SUMMARY = (
    "so what computing hides is that of summary.json, where receiving a message counts, too"
)
NOT_HIDDEN = "so how much communication computing hides is not known"


def dimension_of_stream(stream: str) -> str | None:
    """Return whose communication a stream carries; None: it receives, so it mostly waits."""
    if "recv" in stream:
        return None
    word = stream.split("-")[0].rstrip("0123456789 ")
    return word if word in DIMENSIONS else None


def hidden_times(ops: Ops) -> tuple[dict[str, float], int]:
    """Return by dimension the time of communication during which its rank computed, and of how many
    ranks it is the sum, ns.

    A message counts from when it is handed over, at the rank that sends it.
    """
    totals = dict.fromkeys(DIMENSIONS, 0.0)
    codes = {i: dimension_of_stream(name) for i, name in enumerate(ops.texts["stream"])}
    ranks = numpy.unique(ops.rows["rank"])
    for rank in ranks:
        rows = ops.of_rank(int(rank))
        computes = ops.is_compute(rows)
        talks = rows[~computes]
        if talks.empty:
            continue
        covered = covered_times(rows[computes], talks)
        by_stream = pandas.Series(covered).groupby(talks["stream"].to_numpy()).sum()
        for code, value in by_stream.items():
            dimension = codes[code]
            if dimension:
                totals[dimension] += float(value)
    return totals, len(ranks)


def covered_times(computes: pandas.DataFrame, talks: pandas.DataFrame) -> numpy.ndarray:
    """Return for each of some ops how long another set of ops, sorted by start, ran beside it."""
    if computes.empty:
        return numpy.zeros(len(talks))
    starts = computes["start_ns"].to_numpy()
    ends = numpy.maximum.accumulate(computes["end_ns"].to_numpy())
    # Streams that compute at the same time count once.
    starts = numpy.maximum(starts, numpy.concatenate(([0], ends[:-1])))
    lengths = numpy.maximum(ends - starts, 0)
    before = numpy.concatenate(([0], numpy.cumsum(lengths)))

    def until(times: numpy.ndarray) -> numpy.ndarray:
        """Return how long was computed until some times."""
        index = numpy.searchsorted(starts, times, side="right")
        last = numpy.maximum(index - 1, 0)
        over = numpy.clip(times - starts[last], 0, lengths[last])
        return numpy.where(index > 0, before[last] + over, 0)

    return until(talks["end_ns"].to_numpy()) - until(talks["start_ns"].to_numpy())


def _draw(canvas: Canvas, rows: list[tuple[str, float, float]]) -> None:
    unit, name = units.time_scale(max(max(exposed, hidden) for _, exposed, hidden in rows))
    axes = canvas.add_subplot()
    for y, (dimension, exposed, hidden) in enumerate(rows):
        color = color_of(dimension)
        axes.barh(y, exposed / unit, 0.6, color=color)
        axes.barh(
            y, hidden / unit, 0.6, left=exposed / unit, facecolor="white", edgecolor=color,
            hatch="//////", linewidth=0.8,
        )  # fmt: skip
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(axis="x")
    axes.set_xlabel(f"time per rank and iteration, {name}")


def make_section(job: Job, ops: Ops | None) -> Section:
    """Return how a job's communication lies beside its computing."""
    section = Section(named("Communication: exposed and hidden", job))
    means = job.mean_parts()
    hidden = dict.fromkeys(DIMENSIONS, 0.0)
    if ops is not None:
        totals, count = hidden_times(ops)
        each = max(1, count) * max(1, len(job.iterations))
        hidden = {name: value / each for name, value in totals.items()}
    else:
        mean = job.mean_hidden()
        hidden = mean or hidden
        text = HIDDEN_OF_SUMMARY if mean else NOT_HIDDEN
        section.blocks.append(missing(f"There is no ops.csv, {text}."))
    rows = [
        (name, means[f"exposed {name}"], hidden[name])
        for name in DIMENSIONS
        if means[f"exposed {name}"] > 0 or hidden[name] > 0
    ]
    if not rows:
        section.blocks.append(Text("No communication took any time."))
        return section
    total = max(1, sum(means.values()))
    which = "sent" if ops is not None else "all"
    section.blocks.append(
        Table(
            ["dimension", "exposed", "of the iteration", "hidden"],
            [
                [name, units.time(exposed), units.percent(exposed / total), units.time(covered)]
                for name, exposed, covered in rows
            ],
            narrow=True,
        )
    )
    section.blocks.append(
        Figure(
            named("communication", job),
            "Communication by dimension, mean of the ranks: exposed (filled), and the part of "
            f"collectives and {which} messages that computing hides (hatched).",
            1,
            0.9 + 0.3 * len(rows),
            lambda canvas: _draw(canvas, rows),
        )
    )
    return section
