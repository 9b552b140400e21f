# SPDX-License-Identifier: GPL-2.0-only
"""A sweep from its description to its tables, for the program and for scripts alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..report.units import plural
from ..report.writing import write_whole
from .description import Description
from .effects import SUBJECTS, Analysis, Point, analyse
from .grid import combinations_of
from .identity import Digests, digest_of, directory_of
from .process import Starter
from .results import read_result
from .running import Replay, Run, check_options, run_missing, say
from .store import Store
from .tables import TABLES, Rows, cost_table, effects_table, runs_table, summary_table


@dataclass(frozen=True)
class Outcome:
    """What became of a sweep."""

    runs: list[Run]  #: all that were wanted, in the order of the tables
    rows: Rows  #: those that have a result
    analyses: dict[str, Analysis]
    failed: list[Replay]
    tables: dict[str, str]  #: the files by name


def list_runs(description: Description, program: Path) -> list[Run]:
    """Return all runs, in the order of the tables; equal ones share a directory."""
    runs = []
    names: dict[str, str] = {}
    digests = Digests(program, description.folder)
    for combination in combinations_of(description):
        for number in description.seeds:
            identity = digests.describe(combination.texts(), number)
            digest = digest_of(identity)
            name = names.setdefault(digest, directory_of(combination.labels, number, digest))
            runs.append(Run(combination, number, digest, name, identity))
    return runs


def find_missing(description: Description, store: Store, runs: list[Run]) -> list[Run]:
    """Return the runs that are not done, each once."""
    missing: dict[str, Run] = {}
    for run in runs:
        if store.find(run.digest, run.name, description.keep) is None:
            missing.setdefault(run.digest, run)
    return list(missing.values())


def analyse_all(description: Description, rows: Rows) -> dict[str, Analysis]:
    """Return what matters for each result that has any."""
    analyses = {}
    for name in SUBJECTS:
        points = [
            Point(run.combination.labels, run.number, result.values[name])
            for run, result in rows
            if result.complete
        ]
        if any(point.value for point in points):
            analysis = analyse(points, description.dimensions, len(description.seeds))
            if analysis:
                analyses[name] = analysis
    return analyses


def make_tables(
    description: Description, rows: Rows, analyses: dict[str, Analysis]
) -> dict[str, str]:
    """Return the tables by the names of their files."""
    return {
        "sweep.csv": runs_table(description, rows),
        "summary.csv": summary_table(description, rows),
        "effects.csv": effects_table(analyses),
        "cost.csv": cost_table(rows),
    }


def write_tables(folder: Path, tables: dict[str, str]) -> None:
    """Write the tables, sweep.csv last."""
    for name in reversed(TABLES):
        write_whole(folder / name, tables[name])


def perform(
    description: Description,
    runs: list[Run],
    program: Path,
    store: Store,
    jobs: int,
    notify: Callable[[str], None] = say,
) -> Outcome:
    """Run what is not done, so many runs at a time, and write the tables to the directory."""
    starter = Starter(program, description.folder)
    missing = find_missing(description, store, runs)
    count = len({run.digest for run in runs})
    combinations = len(runs) // len(description.seeds)
    notify(
        f"{description.name}: {plural(combinations, 'combination')}, {plural(count, 'run')}, "
        f"of which {count - len(missing)} are done; {jobs} at a time"
    )
    check_options(description, starter, store, missing, jobs)
    failed = []
    if missing:
        store.discard_tables(TABLES)
        failed = run_missing(starter, store, missing, description.keep, jobs, notify)
    store.discard_unfinished()
    lost = {replay.run.digest for replay in failed}
    rows = [(run, read_result(store.runs / run.name)) for run in runs if run.digest not in lost]
    analyses = analyse_all(description, rows)
    tables = make_tables(description, rows, analyses)
    write_tables(store.folder, tables)
    return Outcome(runs, rows, analyses, failed, tables)
