# SPDX-License-Identifier: GPL-2.0-only
"""A run: what its summary.json says, and where its other files are."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..units import DIMENSIONS
from .graph import Graph, read_graph
from .summary import read_summary
from .tables import find_file


@dataclass(frozen=True)
class Rank:
    """Where the time of a rank goes; all times in ns, over all iterations."""

    rank: int
    compute: int
    exposed: dict[str, int]
    bubble: int
    idle: int
    end: int

    def parts(self) -> dict[str, int]:
        """Return the parts of the time by name; their sum is the time of all iterations."""
        waits = {f"exposed {name}": self.exposed[name] for name in DIMENSIONS}
        return {"compute": self.compute, **waits, "bubble": self.bubble, "idle": self.idle}


#: Names of the parts, from the bottom of a bar to its top.
PARTS = ["compute", *(f"exposed {name}" for name in DIMENSIONS), "bubble", "idle"]


@dataclass(frozen=True)
class Job:
    """One training job of a run."""

    name: str  #: empty if the run has no other
    workload: dict[str, Any]
    iterations: list[int]  #: time of each, ns
    ranks: list[Rank]
    collectives: list[dict[str, Any]]
    hosts: list[int] = field(default_factory=list)  #: host of each rank; empty: its own number

    @property
    def total(self) -> int:
        """Time of all iterations, ns."""
        return sum(self.iterations)

    @property
    def mean_iteration(self) -> float:
        """Mean time of an iteration, ns; 0 if none was finished."""
        return self.total / len(self.iterations) if self.iterations else 0.0

    @property
    def world(self) -> int:
        """Number of ranks."""
        return int(self.workload["world"])

    @property
    def stages(self) -> int:
        """Number of pipeline stages."""
        return max(1, int(self.workload["pp"]))

    def stage_of(self, rank: int) -> int:
        """Return the pipeline stage of a rank; pp is the slowest dimension, as in Megatron."""
        return rank * self.stages // max(1, self.world)

    def first_of_stages(self) -> list[int]:
        """Return the first rank of each stage."""
        return [stage * self.world // self.stages for stage in range(self.stages)]

    def host_of(self, rank: int) -> int:
        """Return the number of the host that a rank runs on."""
        return self.hosts[rank] if rank < len(self.hosts) else rank

    def mean_parts(self) -> dict[str, float]:
        """Return the mean over the ranks of each part of their time, ns per iteration."""
        count = max(1, len(self.ranks)) * max(1, len(self.iterations))
        sums = dict.fromkeys(PARTS, 0)
        for rank in self.ranks:
            for name, value in rank.parts().items():
                sums[name] += value
        return {name: value / count for name, value in sums.items()}


def _make_job(data: dict[str, Any]) -> Job:
    ranks = [
        Rank(
            entry["rank"],
            entry["compute_ns"],
            entry["exposed_ns"],
            entry["bubble_ns"],
            entry["idle_ns"],
            entry["end_ns"],
        )
        for entry in data["ranks"]
    ]
    return Job(
        data.get("name", ""),
        data["workload"],
        [entry["time_ns"] for entry in data["iterations"]],
        ranks,
        data["collectives"],
        data.get("hosts", []),
    )


class Run:
    """The files of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.label = folder.name or str(folder)
        self.summary = read_summary(folder)
        self.jobs = [_make_job(job) for job in self.summary.get("jobs", [self.summary])]

    @property
    def complete(self) -> bool:
        """Whether the replay came to its end."""
        return bool(self.summary["complete"])

    @property
    def total(self) -> int:
        """Time of all iterations of the job that takes longest, ns."""
        return max((job.total for job in self.jobs), default=0)

    @property
    def mean_iteration(self) -> float:
        """Mean time of an iteration, ns; of several jobs, of the one that takes longest."""
        return max((job.mean_iteration for job in self.jobs), default=0.0)

    def table(self, name: str) -> Path | None:
        """Return the path of one of its tables, or None if it was not written."""
        return find_file(self.folder, name)

    @cached_property
    def graph(self) -> Graph | None:
        """The network: of fabric.json, else of links.csv, else None."""
        return read_graph(self.folder)

    def signature(self) -> str:
        """Return what runs that differ only in their random numbers have in common."""
        jobs = [
            [job.name, job.workload, len(job.iterations), len(job.ranks), job.hosts,
             sorted((c["dimension"], c["kind"], c["algorithm"], c["bytes"], c["count"])
                    for c in job.collectives)]
            for job in self.jobs
        ]  # fmt: skip
        links = self.graph.links if self.graph else []
        rates = sorted((link.a, link.b, link.rate) for link in links)
        return json.dumps([jobs, self.summary["fabric"], rates], sort_keys=True)

    def seed(self) -> tuple[int, int]:
        """Return seed and run number of the random numbers."""
        run = self.summary["run"]
        return run["seed"], run.get("rng_run", 1)
