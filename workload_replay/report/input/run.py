# SPDX-License-Identifier: GPL-2.0-only
"""A run: what its summary.json says, and where its other files are."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path

from .graph import Graph, read_graph
from .job import jobs_of
from .summary import find_file, read_summary


class Run:
    """The files of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.label = folder.name or str(folder)
        self.summary = read_summary(folder)
        self.jobs = jobs_of(self.summary)

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
