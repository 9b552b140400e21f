# SPDX-License-Identifier: GPL-2.0-only
"""The jobs of a run: where the time of their ranks goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..units import DIMENSIONS


@dataclass(frozen=True)
class Rank:
    """Where the time of a rank goes; all times in ns, over all iterations."""

    rank: int
    compute: int
    exposed: dict[str, int]
    hidden: dict[str, int] | None  #: None: the file is older than this key
    bubble: int
    idle: int
    end: int

    def parts(self) -> dict[str, int]:
        """Return the parts of the time by name; their sum is the time of all iterations."""
        waits = {f"exposed {name}": self.exposed.get(name, 0) for name in DIMENSIONS}
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
    messages: list[dict[str, Any]]  #: how long they took, by dimension
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

    def mean_hidden(self) -> dict[str, float] | None:
        """Return by dimension the mean over the ranks of the time in which computing hides
        communication, sent and received, ns per iteration; None if the file does not say.
        """
        known = [rank.hidden for rank in self.ranks if rank.hidden is not None]
        if not known:
            return None
        count = len(known) * max(1, len(self.iterations))
        return {name: sum(hidden.get(name, 0) for hidden in known) / count for name in DIMENSIONS}


def _make_job(data: dict[str, Any]) -> Job:
    ranks = [
        Rank(
            entry["rank"],
            entry["compute_ns"],
            entry["exposed_ns"],
            entry.get("hidden_ns"),
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
        data.get("messages", []),
        data.get("hosts", []),
    )


def jobs_of(summary: dict[str, Any]) -> list[Job]:
    """Return the jobs that a summary has."""
    return [_make_job(job) for job in summary.get("jobs", [summary])]


def mean_parts(jobs: list[Job]) -> dict[str, float]:
    """Return the mean over the ranks of all jobs of each part of their time, ns per iteration."""
    ranks = max(1, sum(len(job.ranks) for job in jobs))
    means = [(len(job.ranks) / ranks, job.mean_parts()) for job in jobs]
    return {name: sum(weight * parts[name] for weight, parts in means) for name in PARTS}
