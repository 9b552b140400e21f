# SPDX-License-Identifier: GPL-2.0-only
"""Where the time goes, by rank and by pipeline stage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from .. import units
from ..figure import Figure, color_of
from ..input.job import PARTS, Job
from ..input.run import Run
from ..page import Block, Section, Table, missing
from .names import named

#: Most bars of a figure; of more ranks, neighbours share a bar that shows their mean.
MAX_BARS = 64


def present_parts(parts: Sequence[dict[str, float]]) -> list[str]:
    """Return the parts that take any time, from the bottom of a bar to its top."""
    return [name for name in PARTS if any(part[name] > 0 for part in parts)]


def stack_bars(axes: Axes, bars: Sequence[dict[str, float]], unit: float, width: float) -> None:
    """Draw a bar for each dictionary of parts, which are divided by unit."""
    below = numpy.zeros(len(bars))
    for name in present_parts(bars):
        values = numpy.array([bar[name] for bar in bars]) / unit
        axes.bar(
            range(len(bars)), values, width, bottom=below, color=color_of(name), label=name,
            linewidth=0.3 if width < 1 else 0, edgecolor="#666666",
        )  # fmt: skip
        below += values


def legend_above(axes: Axes, columns: int) -> None:
    """Put the legend above the axes."""
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=columns, columnspacing=1.0)


def mean_of(job: Job, ranks: Sequence[int]) -> dict[str, float]:
    """Return the mean parts of some ranks, given by position, ns per iteration."""
    count = len(ranks) * max(1, len(job.iterations))
    parts = [job.ranks[i].parts() for i in ranks]
    return {name: sum(part[name] for part in parts) / count for name in PARTS}


def _group(job: Job) -> tuple[list[dict[str, float]], int]:
    """Return the bars of the figure by rank, and how many ranks share one."""
    each = -(-len(job.ranks) // MAX_BARS)
    starts = range(0, len(job.ranks), each)
    bars = [mean_of(job, range(i, min(i + each, len(job.ranks)))) for i in starts]
    return bars, each


def _draw_ranks(canvas: Canvas, job: Job) -> None:
    bars, each = _group(job)
    unit, name = units.time_scale(max(sum(bar.values()) for bar in bars))
    axes = canvas.add_subplot()
    stack_bars(axes, bars, unit, 0.85 if len(bars) <= 32 else 1.0)
    axes.set_xlim(-0.6, len(bars) - 0.4)
    step = max(1, len(bars) // 16)
    ticks = range(0, len(bars), step)
    axes.set_xticks(list(ticks), [str(job.ranks[i * each].rank) for i in ticks])
    axes.set_xlabel("rank" if each == 1 else f"first of {each} ranks")
    axes.set_ylabel(f"time per iteration, {name}")
    legend_above(axes, 8)


def _stages(job: Job) -> list[list[int]]:
    members: list[list[int]] = [[] for _ in range(job.stages)]
    for i, rank in enumerate(job.ranks):
        members[job.stage_of(rank.rank)].append(i)
    return members


def _draw_stages(canvas: Canvas, job: Job) -> None:
    bars = [mean_of(job, ranks) for ranks in _stages(job) if ranks]
    axes = canvas.add_subplot()
    shares = [
        {name: 100 * value / max(1, sum(bar.values())) for name, value in bar.items()}
        for bar in bars
    ]
    stack_bars(axes, shares, 1, 0.85)
    axes.set_xlim(-0.6, len(bars) - 0.4)
    axes.set_ylim(0, 100)
    step = max(1, len(bars) // 16)
    axes.set_xticks(range(0, len(bars), step))
    axes.set_xlabel("pipeline stage")
    axes.set_ylabel("share of the iteration, %")
    legend_above(axes, 3)


def _table(job: Job) -> Table:
    means = job.mean_parts()
    total = max(1, sum(means.values()))
    count = max(1, len(job.iterations))
    rows = []
    for name in present_parts([means]):
        worst = max(job.ranks, key=lambda rank: rank.parts()[name])
        rows.append(
            [
                name,
                units.time(means[name]),
                units.percent(means[name] / total),
                units.time(worst.parts()[name] / count),
                str(worst.rank),
            ]
        )
    return Table(["part", "mean of ranks", "share", "largest", "on rank"], rows, narrow=True)


def _job_blocks(job: Job) -> list[Block]:
    if not job.ranks or not any(sum(rank.parts().values()) for rank in job.ranks):
        return [missing("summary.json has no rank that did anything.")]
    blocks: list[Block] = []
    each = -(-len(job.ranks) // MAX_BARS)
    means = f" A bar is the mean of {each} neighbouring ranks." if each > 1 else ""
    blocks.append(
        Figure(
            named("time-by-rank", job),
            "Time of an iteration by rank: computing, exposed communication by dimension (the "
            "compute stream waits for it), pipeline bubble, and idle at the end." + means,
            2,
            2.6,
            lambda canvas: _draw_ranks(canvas, job),
        )
    )
    blocks.append(_table(job))
    if job.stages > 1:
        blocks.append(
            Figure(
                named("time-by-stage", job),
                "The same by pipeline stage: mean of the stage's ranks, as shares.",
                1,
                2.8,
                lambda canvas: _draw_stages(canvas, job),
            )
        )
    return blocks


def make_section(run: Run, job: Job) -> Section:
    """Return where the time of a job goes."""
    return Section(named("Where the time goes", job), _job_blocks(job))
