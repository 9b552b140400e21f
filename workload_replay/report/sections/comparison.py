# SPDX-License-Identifier: GPL-2.0-only
"""Several runs side by side; those that differ only in their random numbers are one group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy
from matplotlib.figure import Figure as Canvas

from .. import units
from ..figure import RUN_COLORS, Figure
from ..input.flows import FlowCounts
from ..input.job import PARTS, mean_parts
from ..input.run import Run
from ..page import Block, Section, Table, Text
from ..statistics import Mean, mean_of
from .messages import draw_distribution, finish_distribution
from .parts import legend_above, present_parts, stack_bars

#: Most runs that can be distinguished in a figure of lines.
MAX_LINES = len(RUN_COLORS)


@dataclass
class Group:
    """Runs that differ only in their random numbers."""

    label: str
    runs: list[Run]

    def mean(self, value: Callable[[Run], float]) -> Mean:
        """Return the mean of something over the runs."""
        return mean_of([value(run) for run in self.runs])


def group_runs(runs: Iterable[Run]) -> list[Group]:
    """Put runs together that differ only in seed or run number, by their first ones."""
    found: dict[tuple[str, bool], list[list[Run]]] = {}
    for run in runs:
        groups = found.setdefault((run.signature(), run.complete), [])
        for members in groups:
            if run.seed() not in [member.seed() for member in members]:
                members.append(run)
                break
        else:
            groups.append([run])
    members = [group for groups in found.values() for group in groups]
    return [Group(label_of(group), group) for group in members]


def label_of(runs: Sequence[Run]) -> str:
    """Return the name of a group: what its runs' names begin with."""
    if len(runs) == 1:
        return runs[0].label
    names = [run.label for run in runs]
    prefix = names[0]
    while not all(name.startswith(prefix) for name in names):
        prefix = prefix[:-1]
    return prefix.rstrip("-_. 0123456789") or names[0]


def _format(mean: Mean, text: Callable[[float], str]) -> str:
    half = f" ± {text(mean.half)}" if mean.count > 1 else ""
    return text(mean.value) + half


def _table(groups: list[Group]) -> Table:
    """Return a table with a row for each quantity, and what each group differs from the first."""
    rows: list[list[str]] = []

    def add(name: str, value: Callable[[Run], float], text: Callable[[float], str]) -> None:
        means = [group.mean(value) for group in groups]
        if all(mean.value == 0 for mean in means) and name != "iteration time":
            return
        row = [name, _format(means[0], text)]
        for mean in means[1:]:
            row += [_format(mean, text), units.change(mean.value, means[0].value)]
        rows.append(row)

    add("iteration time", lambda run: run.mean_iteration, units.time)
    parts = {id(run): mean_parts(run.jobs) for group in groups for run in group.runs}
    for name in PARTS:
        add(f"  {name}", lambda run, name=name: parts[id(run)][name], units.time)
    network = {
        "packets": "packets",
        "retransmitted_packets": "retransmitted",
        "retransmission_timeouts": "retransmission timeouts",
        "dropped_packets": "dropped",
        "ecn_marked_packets": "ECN-marked",
        "pfc_pauses": "PFC pauses",
    }
    for key, name in network.items():
        add(name, lambda run, key=key: run.summary["network"].get(key, 0), units.number)
    add("CPU of the run", lambda run: run.summary["run"]["cpu_s"], units.seconds)
    header = ["", groups[0].label]
    for group in groups[1:]:
        header += [group.label, "difference"]
    return Table(header, rows)


def _runs_table(groups: list[Group]) -> Table:
    rows = []
    for group in groups:
        for run in group.runs:
            seed, number = run.seed()
            state = "yes" if run.complete else "no"
            fabric = run.summary["fabric"]
            words = [fabric["topology"], fabric["transport"], fabric.get("routing", "")]
            time = units.time(run.mean_iteration)
            network = ", ".join(word for word in words if word)
            rows.append([group.label, run.label, network, f"{seed}/{number}", state, time])
    header = ["group", "run", "network", "seed/run", "complete", "iteration time"]
    return Table(header, rows, names=4)


def _short(label: str) -> str:
    return label if len(label) <= 18 else label[:8] + "…" + label[-9:]


def _draw_times(canvas: Canvas, groups: list[Group]) -> None:
    means = [group.mean(lambda run: run.mean_iteration) for group in groups]
    unit, name = units.time_scale(max(mean.value for mean in means))
    axes = canvas.add_subplot()
    y = numpy.arange(len(groups))
    axes.barh(y, [mean.value / unit for mean in means], 0.55, color="#8fb3d3")
    axes.errorbar(
        [mean.value / unit for mean in means], y, xerr=[mean.half / unit for mean in means],
        fmt="none", ecolor="#222222", capsize=2.5, elinewidth=0.9,
    )  # fmt: skip
    for i, group in enumerate(groups):
        times = [run.mean_iteration / unit for run in group.runs]
        if len(times) > 1:
            axes.plot(times, [i] * len(times), "o", markersize=2.5, color="#0b3c5d", alpha=0.7)
    axes.set_yticks(y, [_short(group.label) for group in groups])
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.grid(axis="x")
    axes.set_xlabel(f"iteration time, {name}")


def _draw_parts(canvas: Canvas, groups: list[Group]) -> None:
    bars = []
    for group in groups:
        parts = [mean_parts(run.jobs) for run in group.runs]
        bars.append({name: sum(part[name] for part in parts) / len(parts) for name in PARTS})
    unit, name = units.time_scale(max(sum(bar.values()) for bar in bars))
    axes = canvas.add_subplot()
    stack_bars(axes, bars, unit, 0.65)
    axes.set_xticks(range(len(groups)), [_short(group.label) for group in groups])
    if len(groups) > 3:
        axes.tick_params(axis="x", labelrotation=30)
        for text in axes.get_xticklabels():
            text.set_horizontalalignment("right")
    axes.set_ylabel(f"mean time of a rank, {name}")
    legend_above(axes, 3 if len(present_parts(bars)) < 7 else 2)


def _draw_slowdowns(canvas: Canvas, lines: list[tuple[str, numpy.ndarray]]) -> None:
    axes = canvas.add_subplot()
    styles = ["-", (0, (5, 2)), (0, (2, 1.5)), "-."]  # lines on top of each other are seen
    for i, (label, counts) in enumerate(lines):
        style = styles[i % len(styles)]
        draw_distribution(axes, counts, RUN_COLORS[i], _short(label), style)
    finish_distribution(axes, 2)


def _group_slowdowns(
    groups: list[Group], flows: dict[str, FlowCounts | None]
) -> list[tuple[str, numpy.ndarray]]:
    lines = []
    for group in groups[:MAX_LINES]:
        counts = [flows.get(str(run.folder)) for run in group.runs]
        known = [count.all().sum(axis=0) for count in counts if count and count.messages()]
        if known:
            lines.append((group.label, sum(known[1:], known[0])))
    return lines


def make_section(groups: list[Group], flows: dict[str, FlowCounts | None]) -> Section:
    """Return the comparison; flows are given by the folders of the runs."""
    blocks: list[Block] = [_table(groups)]
    seeds = any(len(group.runs) > 1 for group in groups)
    if seeds:
        blocks.append(
            Text(
                "Runs that differ only in seed or run number are one group: mean ± half of the "
                "95 % confidence interval (Student's t). Differences are those of the means to "
                "the first group's.",
                "note",
            )
        )
    if not all(run.complete for group in groups for run in group.runs):
        blocks.append(Text("Some of these runs are not complete.", "warning"))
    error = "; error bars are 95 % confidence intervals, dots single runs" if seeds else ""
    height = 0.7 + 0.3 * len(groups)
    blocks += [
        Figure(
            "comparison-time", f"Iteration time{error}.", 1, max(1.4, height),
            lambda canvas: _draw_times(canvas, groups),
        ),
        Figure(
            "comparison-parts", "Where the time of a rank goes, mean of all ranks.", 1, 2.8,
            lambda canvas: _draw_parts(canvas, groups),
        ),
    ]  # fmt: skip
    lines = _group_slowdowns(groups, flows)
    if len(lines) > 1:
        blocks.append(
            Figure(
                "comparison-slowdown", "Slowdown of all messages.", 1, 2.8,
                lambda canvas: _draw_slowdowns(canvas, lines),
            )
        )  # fmt: skip
    blocks.append(_runs_table(groups))
    return Section("Comparison", blocks)
