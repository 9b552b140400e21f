# SPDX-License-Identifier: GPL-2.0-only
"""What was run, and how long it took."""

from __future__ import annotations

import os

from .. import units
from ..input.job import Job
from ..input.run import Run
from ..page import Section, Table, Text, missing

#: Most iterations that are listed one by one.
MAX_ITERATIONS = 6


def describe_workload(job: Job) -> str:
    """Return a job's workload in a line."""
    workload = job.workload
    layout = [
        f"{key} {workload[key]}"
        for key in ("tp", "cp", "ep", "dp", "pp")
        if workload.get(key, 1) > 1
    ]
    if workload["microbatches"] > 1:
        layout.append(f"{workload['microbatches']} microbatches")
    if workload.get("schedule"):
        layout.append(f"schedule {workload['schedule']}")
    details = f" ({', '.join(layout)})" if layout else ""
    name = os.path.basename(workload["file"]) or workload["format"]
    return f"{name}, {workload['format']}, {units.plural(job.world, 'rank')}{details}"


def describe_fabric(run: Run) -> str:
    """Return a run's network in a line."""
    fabric = run.summary["fabric"]
    words = [
        fabric["topology"],
        f"{fabric['nodes']:,} nodes",
        f"{fabric['links']:,} links",
        f"transport {fabric['transport']}",
    ]
    for key, name in (("cc", "congestion control"), ("routing", "routing")):
        if fabric.get(key):
            words.append(f"{name} {fabric[key]}")
    if fabric.get("mtu_bytes"):
        words.append(f"MTU {fabric['mtu_bytes']} B")
    return ", ".join(words)


def describe_iterations(job: Job) -> str:
    """Return how long the iterations took."""
    times = job.iterations
    if not times:
        return "none was finished"
    if len(times) <= MAX_ITERATIONS:
        return ", ".join(units.time(time) for time in times)
    return (
        f"{len(times)} iterations, mean {units.time(job.mean_iteration)}, "
        f"{units.time(min(times))} to {units.time(max(times))}"
    )


def make_section(run: Run) -> Section:
    """Return the head of a run."""
    section = Section("The run")
    if not run.complete:
        section.blocks.append(
            Text(
                "This run is not complete: the replay could not finish or was interrupted. "
                "What follows is what had happened until then.",
                "warning",
            )
        )
    rows = []
    for job in run.jobs:
        name = f" of {job.name}" if job.name else ""
        rows.append(["workload" + name, describe_workload(job)])
        rows.append(["iteration time" + name, describe_iterations(job)])
    rows.append(["network", describe_fabric(run)])
    network = run.summary["network"]
    rows.append(
        [
            "messages",
            f"{units.number(network['messages'])}, {units.size(network['bytes_delivered'])}",
        ]
    )
    details = run.summary["run"]
    rows.append(["seed", f"{details['seed']}, run {details.get('rng_run', 1)}"])
    rows.append(["files", str(run.folder)])
    section.blocks.append(Table([], rows, names=2))
    if any(not job.iterations for job in run.jobs):
        section.blocks.append(missing("No iteration was finished, so none has a time."))
    for assumption in run.summary.get("assumptions", []):
        section.blocks.append(Text(f"Assumed: {assumption}", "note"))
    return section
