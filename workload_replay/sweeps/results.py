# SPDX-License-Identifier: GPL-2.0-only
"""What a run found out, as numbers by name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..report.input.job import PARTS, Job, jobs_of, mean_parts
from ..report.input.summary import read_summary

#: Sums of parts of a rank's time: what pipeline and data parallelism cost.
SUMS = {
    "pipeline": ["exposed pp", "bubble"],
    "data_parallel": ["exposed dp", "exposed edp"],
}

#: Counters of the network.
COUNTERS = [
    "messages",
    "bytes_delivered",
    "packets",
    "packet_hops",
    "retransmitted_packets",
    "dropped_packets",
    "ecn_marked_packets",
    "pfc_pauses",
]

#: What the simulation itself took: varies between equal runs.
COSTS = ["wall_s", "cpu_s", "events", "peak_rss_bytes"]


@dataclass(frozen=True)
class Result:
    """The result of a run; numbers are missing if the replay did not finish."""

    complete: bool
    values: dict[str, float]
    costs: dict[str, float]


def _column(part: str) -> str:
    return part.replace(" ", "_")


def _largest(jobs: list[Job], names: list[str]) -> float:
    """Return the sum of some parts of the rank for which it is the largest, ns per iteration."""
    return max(
        (
            sum(rank.parts()[name] for name in names) / max(1, len(job.iterations))
            for job in jobs
            for rank in job.ranks
        ),
        default=0,
    )


def _values(summary: dict[str, Any]) -> dict[str, float]:
    jobs = jobs_of(summary)
    values: dict[str, float] = {"iteration_ns": max(job.mean_iteration for job in jobs)}
    parts = mean_parts(jobs)
    for name, names in SUMS.items():
        values[f"{name}_ns"] = sum(parts[part] for part in names)
    for part in PARTS:
        values[f"{_column(part)}_ns"] = parts[part]
    for name, names in [*SUMS.items(), *((_column(part), [part]) for part in PARTS)]:
        values[f"{name}_max_ns"] = _largest(jobs, names)
    for name in COUNTERS:
        if name in summary["network"]:
            values[name] = summary["network"][name]
    if len(jobs) > 1:
        for job in jobs:
            values[f"iteration_ns of {job.name}"] = job.mean_iteration
    return values


def read_result(folder: Path) -> Result:
    """Read the result of a run from its directory."""
    summary = read_summary(folder)
    costs = {name: summary["run"][name] for name in COSTS}
    return Result(summary["complete"], _values(summary) if summary["complete"] else {}, costs)


def names_of(results: list[Result]) -> list[str]:
    """Return the names of all values that any result has, in order."""
    return list(dict.fromkeys(name for result in results for name in result.values))
