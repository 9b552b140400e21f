# SPDX-License-Identifier: GPL-2.0-only
"""The pipeline as a Gantt chart: one rank of each stage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Patch

from .. import units
from ..figure import BLUE, Figure, GREEN, ORANGE
from ..input.job import Job
from ..input.ops import Ops
from ..page import Block, Section, Text, missing
from .names import named

#: Breaks shorter than this share of the window are not seen, so ops on both sides are one bar.
SEEN = 1 / 1500

#: A bar of fewer such shares is too short to have a colour of its own beside others.
SHORT = 6

#: Most stages that are drawn; of more, evenly chosen ones.
MAX_STAGES = 32

#: Most bars of a rank; if there are more, the window is made shorter.
MAX_BARS = 600

#: Most rows of streams of a rank without a pipeline.
MAX_STREAMS = 8

#: Colour maps of the phases that microbatches go through, and colours of the others.
MAPS = {
    "forward": "Blues",
    "backward": "Oranges",
    "backward-input": "Oranges",
    "backward-weight": "Greens",
}
OTHERS = {"grad-sync": "#8c6bb1", "optimizer": "#525252"}


@dataclass(frozen=True)
class Bar:
    """Work of a phase and microbatch (-1: none), in ns."""

    start: int
    end: int
    phase: str
    microbatch: int


def merge(
    starts: list[int], ends: list[int], kinds: list[tuple[str, int]], gap: float
) -> list[Bar]:
    """Join neighbouring ops of the same phase and microbatch with breaks of up to gap ns."""
    bars: list[Bar] = []
    for start, end, (phase, microbatch) in zip(starts, ends, kinds):
        last = bars[-1] if bars else None
        same = last and (last.phase, last.microbatch) == (phase, microbatch)
        if last and same and start - last.end <= gap:
            bars[-1] = Bar(last.start, max(last.end, end), phase, microbatch)
        elif end > start:
            bars.append(Bar(start, end, phase, microbatch))
    return bars


def absorb(bars: list[Bar], gap: float) -> list[Bar]:
    """Join parts of a microbatch's backward pass that are too short to be seen one by one.

    Where the layers' input and weight parts alternate they become one bar of phase `backward`.
    """
    joined: list[Bar] = []
    for bar in bars:
        last = joined[-1] if joined else None
        if (
            last
            and last.microbatch == bar.microbatch
            and last.phase.startswith("backward")
            and bar.phase.startswith("backward")
            and bar.start - last.end <= gap
            and min(bar.end - bar.start, last.end - last.start) < SHORT * gap
        ):
            joined[-1] = Bar(last.start, bar.end, "backward", bar.microbatch)
        else:
            joined.append(bar)
    return joined


def bars_of(ops: Ops, rank: int, gap: float, stream: int | None = None) -> list[Bar]:
    """Return the bars of what a rank computes, or of one of its streams."""
    rows = ops.of_rank(rank)
    rows = rows[ops.is_compute(rows)] if stream is None else rows[rows["stream"] == stream]
    phases = [ops.texts["phase"][code] for code in rows["phase"]]
    kinds = list(zip(phases, rows["microbatch"].tolist()))
    bars = merge(rows["start_ns"].tolist(), rows["end_ns"].tolist(), kinds, gap)
    return absorb(bars, gap)


def color(bar: Bar, microbatches: int) -> tuple[float, ...] | str:
    """Return the colour of a bar: the phase gives the hue, the microbatch how dark it is."""
    if bar.phase not in MAPS:
        return OTHERS.get(bar.phase, "#999999")
    share = max(0, bar.microbatch) / max(1, microbatches - 1)
    return colormaps[MAPS[bar.phase]](0.3 + 0.55 * min(1.0, share))


class Gantt:
    """The chart of one job."""

    def __init__(self, job: Job, ops: Ops) -> None:
        self.job = job
        self.ops = ops
        # One iteration shows as much as several.
        self.end = job.iterations[0] if job.iterations else int(ops.rows["end_ns"].max())
        if job.stages > 1:
            every = -(-job.stages // MAX_STAGES)
            chosen = list(range(0, job.stages, every))
            ranks = job.first_of_stages()
            self.names = [f"stage {stage}" for stage in chosen]
            self.rows = [self._cut(bars_of(ops, ranks[stage], self._gap())) for stage in chosen]
        else:
            self.names, self.rows = self._streams(job.ranks[0].rank if job.ranks else 0)
        longest = max(map(len, self.rows), default=0)
        self.shown = self.end
        if longest > MAX_BARS:
            row = max(self.rows, key=len)
            self.shown = row[MAX_BARS].start
            self.rows = [[bar for bar in row if bar.start < self.shown] for row in self.rows]

    def _gap(self) -> float:
        return self.end * SEEN

    def _cut(self, bars: list[Bar]) -> list[Bar]:
        return [bar for bar in bars if bar.start < self.end]

    def _streams(self, rank: int) -> tuple[list[str], list[list[Bar]]]:
        """Return names and bars of the streams of a rank, what computes first."""
        rows = self.ops.of_rank(rank)
        names = self.ops.texts["stream"]
        codes = sorted(set(rows["stream"]), key=lambda i: (names[i] != "compute", names[i]))
        codes = codes[:MAX_STREAMS]
        bars = [self._cut(bars_of(self.ops, rank, self._gap(), code)) for code in codes]
        return [names[code] for code in codes], bars

    def microbatches(self) -> int:
        """Return how many microbatches there are."""
        return 1 + max((bar.microbatch for row in self.rows for bar in row), default=0)

    def height(self) -> float:
        """Return how high the figure is, inches."""
        return min(6.5, 1.0 + 0.26 * len(self.rows))

    def draw(self, canvas: Canvas) -> None:
        """Draw the chart."""
        axes = canvas.add_subplot()
        unit, name = units.time_scale(self.shown)
        microbatches = self.microbatches()
        width = self.shown / unit / 690  # of a pixel on a page
        for y, row in enumerate(self.rows):
            boxes, colors = [], []
            for bar in row:
                left, right = bar.start / unit, min(bar.end, self.shown) / unit
                right = max(right, left + width / 2)
                low, high = y - 0.4, y + 0.4
                boxes.append(
                    numpy.array([[left, low], [right, low], [right, high], [left, high]])
                )
                colors.append(color(bar, microbatches))
                self._number(axes, bar, left, right, y, width)
            axes.add_collection(
                PolyCollection(boxes, facecolors=colors, edgecolors="white", linewidths=0.25)
            )
        axes.set_xlim(0, self.shown / unit)
        axes.set_ylim(len(self.rows) - 0.4, -0.6)
        axes.set_yticks(range(len(self.rows)), self.names)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(f"simulated time, {name}")
        self._legend(axes)

    @staticmethod
    def _number(axes: Axes, bar: Bar, left: float, right: float, y: float, pixel: float) -> None:
        """Write the microbatch into its bar if there is room."""
        if bar.microbatch >= 0 and bar.phase in MAPS and right - left > 11 * pixel:
            axes.text(
                (left + right) / 2, y, str(bar.microbatch), ha="center", va="center", fontsize=5,
                color="#222222",
            )  # fmt: skip

    def _legend(self, axes: Axes) -> None:
        phases = {bar.phase for row in self.rows for bar in row}
        colors = {
            "forward": BLUE,
            "backward": ORANGE,
            "backward-input": ORANGE,
            "backward-weight": GREEN,
            **OTHERS,
        }
        handles = [
            Patch(color=colors.get(phase, "#999999"), alpha=0.7, label=phase)
            for phase in [*colors, *sorted(phases - set(colors))]
            if phase in phases
        ]
        axes.legend(
            handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0),
            ncol=max(1, len(handles)),
        )  # fmt: skip


def make_section(job: Job, ops: Ops | None) -> Section:
    """Return the pipeline of a job."""
    title = "The pipeline" if job.stages > 1 else "What a rank does"
    section = Section(named(title, job))
    if ops is None:
        section.blocks.append(missing("There is no ops.csv, so what ranks do when is not known."))
        return section
    gantt = Gantt(job, ops)
    if not any(gantt.rows):
        section.blocks.append(missing("No op of the ranks that are drawn took any time."))
        return section
    section.blocks.extend(_blocks(job, gantt))
    return section


def _blocks(job: Job, gantt: Gantt) -> list[Block]:
    if job.stages > 1:
        caption = (
            "What one rank of each pipeline stage computes: hue by phase, darker by microbatch, "
            "whose number is written where there is room. White is waiting."
        )
    else:
        caption = f"What the streams of rank {job.ranks[0].rank if job.ranks else 0} do."
    if len(job.iterations) > 1:
        caption += f" The first of {len(job.iterations)} iterations."
    blocks: list[Block] = []
    if gantt.shown < gantt.end:
        blocks.append(
            Text(
                f"Shown is the beginning, {units.time(gantt.shown)} of {units.time(gantt.end)}; "
                "trace.json has all of it.",
                "note",
            )
        )
    blocks.append(Figure(named("pipeline", job), caption, 2, gantt.height(), gantt.draw))
    return blocks
