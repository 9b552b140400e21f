# SPDX-License-Identifier: GPL-2.0-only
"""A run of wl-replay, as scripts and notebooks see it."""

from __future__ import annotations

import html
import shutil
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .report.input.job import jobs_of, mean_parts
from .report.input.summary import find_file, read_summary

if TYPE_CHECKING:
    import pandas

    from .report.report import Report

#: Columns of whole numbers that are empty where a row has none.
NUMBERS = {"layer": "Int64", "microbatch": "Int64"}

#: Replays once more, for some files; returns the directory that has them.
Again = Callable[[list[str]], Path]


class Run:
    """What a replay found out. Tables are pandas DataFrames, read when they are first looked at.

    A table that the replay was not asked to write is had by replaying again.
    """

    def __init__(
        self, folder: Path, options: dict[str, tuple[str, ...]] | None = None,
        again: Again | None = None, name: str = "",
    ) -> None:  # fmt: skip
        self.folder = folder  #: where its files are
        self.options = options or {}  #: as on the command line
        self.name = name or folder.name  #: what reports call it
        self._again = again
        self.summary: dict[str, Any] = read_summary(folder)  #: summary.json

    @property
    def complete(self) -> bool:
        """Whether the replay came to its end."""
        return bool(self.summary["complete"])

    @cached_property
    def _jobs(self) -> list[Any]:
        return jobs_of(self.summary)

    @property
    def iteration_ns(self) -> float:
        """Mean time of an iteration; of several jobs, that of the one that takes longest."""
        return max((job.mean_iteration for job in self._jobs), default=0.0)

    @property
    def iteration_ms(self) -> float:
        """The same in ms."""
        return self.iteration_ns / 1e6

    @property
    def parts(self) -> dict[str, float]:
        """Where the time of a rank goes, ns per iteration: means over ranks; they add up to it."""
        return mean_parts(self._jobs)

    @property
    def text(self) -> str:
        """The report that wl-replay prints; empty for a directory that keeps none."""
        path = self.folder / "report.txt"
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    @cached_property
    def ranks(self) -> pandas.DataFrame:
        """A row for each rank: the parts of its time in all iterations, ns."""
        import pandas

        rows = []
        for job in self._jobs:
            for rank in job.ranks:
                parts = {f"{part.replace(' ', '_')}_ns": ns for part, ns in rank.parts().items()}
                place = {"job": job.name} if job.name else {}
                rows.append({**place, "rank": rank.rank, **parts, "end_ns": rank.end})
        return pandas.DataFrame(rows)

    def file(self, name: str) -> Path:
        """Return the path of a file of the run, such as trace.json; replays again for it if need be."""
        path = find_file(self.folder, name)
        if path is None and name == "timeseries.csv" and "timeSeries" not in self.options:
            raise InputError(
                "timeseries: error: expected a replay with the option timeSeries, such as "
                "timeSeries='100us', found one without"
            )
        if path is None and self._again is not None:
            path = find_file(self._again([name]), name)
        if path is None:
            raise InputError(
                f"{self.folder}: error: expected a file {name}, found none (--files says which are "
                "written)"
            )
        return path

    def fetch(self, names: list[str]) -> None:
        """Replay again if some files are not all in the directory."""
        if self._again is not None and not all(find_file(self.folder, name) for name in names):
            self.folder = self._again(names)

    def _table(self, name: str) -> pandas.DataFrame:
        import pandas

        path = self.file(name)
        header = pandas.read_csv(path, nrows=0).columns
        types = {column: kind for column, kind in NUMBERS.items() if column in header}
        texts = {column: str for column in ("op", "path", "origin", "number") if column in header}
        return pandas.read_csv(path, dtype={**texts, **types})

    @cached_property
    def ops(self) -> pandas.DataFrame:
        """ops.csv: a row for each op of each rank, with its start and its end."""
        return self._table("ops.csv")

    @cached_property
    def collectives(self) -> pandas.DataFrame:
        """collectives.csv: a row for each call of a collective."""
        return self._table("collectives.csv")

    @cached_property
    def flows(self) -> pandas.DataFrame:
        """flows.csv: a row for each message."""
        return self._table("flows.csv")

    @cached_property
    def links(self) -> pandas.DataFrame:
        """links.csv: a row for each link and direction."""
        return self._table("links.csv")

    @cached_property
    def timeseries(self) -> pandas.DataFrame:
        """timeseries.csv: rates, queues, pauses and marks over time; needs the option timeSeries."""
        return self._table("timeseries.csv")

    @property
    def trace(self) -> Path:
        """The path of trace.json, which opens in Perfetto."""
        return self.file("trace.json")

    def report(self) -> Report:
        """Return the report that wl-report makes: write() writes the page, figures() has its figures."""
        from .reports import report_of

        return report_of(self)

    def save(self, folder: str | Path) -> Path:
        """Copy the run's files to a directory, which is made if it is not there; return its path."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.iterdir():
            if path.is_file():
                shutil.copy2(path, folder / path.name)
        return folder

    def __repr__(self) -> str:
        state = "" if self.complete else ", incomplete"
        return f"<Run {self.name}: iteration {self.iteration_ms:.3f} ms{state}>"

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        return f"<pre>{html.escape(self.text or repr(self))}</pre>"


def load(folder: str | Path) -> Run:
    """Return the run whose files wl-replay has written to a directory (--outputDir)."""
    return Run(Path(folder))
