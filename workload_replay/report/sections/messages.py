# SPDX-License-Identifier: GPL-2.0-only
"""How much longer messages took than they need."""

from __future__ import annotations

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from .. import units
from ..figure import BLUE, VERMILION, Figure, color_of
from ..input.flows import SLOWDOWNS, FlowCounts, quantile
from ..input.run import Run
from ..page import Block, Section, Table, Text, missing
from .collectives import size_label

#: Shares of the messages whose slowdown is listed.
SHARES = [0.5, 0.95, 0.99]

#: Largest slowdown that is drawn on a linear axis.
WIDE = 4.0


def draw_distribution(
    axes: Axes, counts: numpy.ndarray, color: str, label: str, line: object = "-"
) -> None:
    """Draw which share of messages has which slowdown or less."""
    used = numpy.flatnonzero(counts)
    last = used[-1] + 1
    shares = 100 * counts.cumsum()[used[0] : last] / counts.sum()
    x = SLOWDOWNS[used[0] : last]
    # From the ground up, also where all messages have one slowdown
    axes.step(
        numpy.concatenate(([x[0]], x, [SLOWDOWNS[min(last, len(SLOWDOWNS) - 1)]])),
        numpy.concatenate(([0], shares, [100])),
        where="post",
        color=color,
        label=label,
        linestyle=line,
    )


def finish_distribution(axes: Axes, columns: int) -> None:
    """Name the axes of distributions."""
    if axes.get_xlim()[1] > WIDE:
        axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("slowdown (time over ideal time)")
    axes.set_ylabel("messages, %")
    axes.set_ylim(0, 101)
    axes.grid(True)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=columns, columnspacing=1.0)


def _draw_distribution(canvas: Canvas, flows: FlowCounts) -> None:
    axes = canvas.add_subplot()
    for name in flows.dimensions():
        draw_distribution(axes, flows.slowdowns(name), color_of(name), name)
    finish_distribution(axes, 4)


def _draw_sizes(canvas: Canvas, flows: FlowCounts) -> None:
    axes = canvas.add_subplot()
    counts = flows.all()
    highest = 0.0
    sizes = numpy.flatnonzero(counts.sum(axis=1))
    for share, color, name in ((0.5, BLUE, "median"), (0.99, VERMILION, "99th percentile")):
        values = [quantile(counts[size], share) for size in sizes]
        highest = max(highest, *values)
        axes.plot(sizes, values, "o-", color=color, markersize=3, label=name)
    step = max(1, -(-(sizes[-1] - sizes[0] + 1) // 6))
    ticks = numpy.arange(sizes[0], sizes[-1] + 1, step)
    axes.set_xticks(ticks, [size_label(2.0**tick) for tick in ticks])
    if highest > WIDE:
        axes.set_yscale("log", base=2)
    else:
        axes.set_ylim(min(0.95, axes.get_ylim()[0]), max(1.5, 1.05 * highest))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("size of the message (and up to twice that)")
    axes.set_ylabel("slowdown")
    axes.grid(True)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=2)


def _table(flows: FlowCounts) -> Table:
    rows = []
    for name in flows.dimensions():
        counts = flows.slowdowns(name)
        last = SLOWDOWNS[numpy.flatnonzero(counts)[-1]]
        quantiles = [f"{quantile(counts, share):.2f}" for share in SHARES]
        sent = units.size(flows.bytes[name])
        rows.append([name, units.number(counts.sum()), sent, *quantiles, f"{last:.2f}"])
    header = ["dimension", "messages", "payload", "median slowdown", "95th percentile"]
    return Table([*header, "99th percentile", "largest"], rows)


def _summary_blocks(run: Run) -> list[Block]:
    """Return what is known of the messages without their table."""
    lists = [(job, job.messages) for job in run.jobs if job.messages]
    if not lists:
        return [missing("There is no flows.csv, so times of messages are not known.")]
    header = ["dimension", "messages", "payload", "mean time", "median", "99th percentile"]
    header += ["longest", "median slowdown", "99th percentile", "largest"]
    rows = []
    for job, messages in lists:
        for entry in messages:
            rows.append(
                [
                    " ".join(word for word in (job.name, entry["dimension"]) if word),
                    units.number(entry["count"]),
                    units.size(entry["bytes"]),
                    *(units.time(entry[f"{name}_ns"]) for name in ("mean", "median", "p99", "max")),
                    *(f"{entry[f'{name}_slowdown']:.2f}" for name in ("median", "p99", "max")),
                ]
            )
    return [
        missing("There is no flows.csv, so times of messages are those of summary.json."),
        Table(header, rows),
        Text(
            "Slowdown is the time over that of the bytes at the slower one of the two end links "
            "plus the delays of the path.",
            "note",
        ),
    ]


def make_section(run: Run, flows: FlowCounts | None) -> Section:
    """Return how long the messages of a run took."""
    section = Section("Message times against ideal")
    if flows is None:
        section.blocks += _summary_blocks(run)
        return section
    if flows.messages() == 0:
        section.blocks.append(Text("No message arrived."))
        return section
    section.blocks.append(
        Figure(
            "slowdown",
            "Share of the messages whose slowdown is at most this, by dimension. The ideal time is "
            "that of the bytes at the slower one of the two end links plus the delays of the path.",
            1,
            2.7,
            lambda canvas: _draw_distribution(canvas, flows),
        )
    )
    section.blocks.append(
        Figure(
            "slowdown-by-size",
            "Slowdown by size of the message, all dimensions.",
            1,
            2.7,
            lambda canvas: _draw_sizes(canvas, flows),
        )
    )
    section.blocks.append(_table(flows))
    section.blocks.append(
        Text(
            "A message's time runs from when the sender handed it to its transport, so waiting for "
            "earlier messages of its connection counts. Values are rounded by 0.35 % at most.",
            "note",
        )
    )
    return section
