# SPDX-License-Identifier: GPL-2.0-only
"""Which sections there are about a run, and about several."""

from __future__ import annotations

from pathlib import Path

from .input.flows import FlowCounts, read_dimensions, read_flows
from .input.graph import Graph
from .input.job import Job
from .input.ops import Ops, read_ops
from .input.run import Run
from .input.sweep import Sweep
from .page import Chapter, Section
from .sections import (
    collectives,
    comparison,
    cost,
    head,
    links,
    messages,
    overlap,
    parts,
    pipeline,
    sweep,
    timeseries,
    waits,
)
from .sections.names import file_name


def load_flows(run: Run) -> FlowCounts | None:
    """Return the messages of a run, or None if it did not write them."""
    path = run.table("flows.csv")
    if path is None:
        return None
    return read_flows(path, read_dimensions(run.table("collectives.csv")))


def load_ops(run: Run, job: Job) -> Ops | None:
    """Return the ops of a job, or None if there are none."""
    path = run.table("ops.csv")
    if path is None:
        return None
    ops = read_ops(path, job.name, job.first_of_stages())
    return None if ops.rows.empty else ops


def _job_sections(run: Run, job: Job, flows: FlowCounts | None) -> list[Section]:
    ops = load_ops(run, job)
    return [
        parts.make_section(run, job),
        pipeline.make_section(job, ops),
        overlap.make_section(job, ops),
        waits.make_section(job, ops),
        collectives.make_section(run, job, flows),
    ]


def run_chapter(run: Run, flows: FlowCounts | None, several: bool) -> Chapter:
    """Return all that there is to say about one run; of several it is folded."""
    sections = [head.make_section(run)]
    for job in run.jobs:
        sections += _job_sections(run, job, flows)
    sections += [
        links.make_section(run),
        timeseries.make_section(run),
        messages.make_section(run, flows),
        cost.make_section(run),
    ]
    prefix = f"{file_name(run.label)}-" if several else ""
    return Chapter(f"Run {run.label}", sections, several, prefix)


def comparison_chapters(runs: list[Run]) -> list[Chapter]:
    """Return the comparison of several runs, and a chapter on the first run of each group."""
    groups = comparison.group_runs(runs)
    flows = {str(run.folder): load_flows(run) for run in runs}
    chapters = [Chapter("Comparison", [comparison.make_section(groups, flows)])]
    for group in groups:
        first = group.runs[0]
        chapters.append(run_chapter(first, flows[str(first.folder)], several=True))
    return chapters


def fabric_chapter(folder: Path, graph: Graph, several: bool) -> Chapter:
    """Return the picture of a network that nothing has run on yet."""
    section = Section(f"Network of {folder.name}", [links.fabric_figure(graph)])
    prefix = f"{file_name(folder.name)}-" if several else ""
    return Chapter(section.title, [section], prefix=prefix)


def sweep_chapter(found: Sweep, several: bool) -> Chapter:
    """Return what a sweep found out."""
    prefix = f"{file_name(found.label)}-" if several else ""
    return Chapter(f"Sweep {found.label}", [sweep.make_section(found)], prefix=prefix)
