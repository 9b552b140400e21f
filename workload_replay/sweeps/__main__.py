# SPDX-License-Identifier: GPL-2.0-only
"""The program: runs what is not done and writes the tables."""

from __future__ import annotations

import sys

from ..report.units import plural
from ..report.writing import tell, write_whole

from .description import Description, read_description
from .effects import SUBJECTS, Analysis, Point, analyse
from .errors import ReportError
from .grid import combinations_of
from .identity import Digests, digest_of, directory_of
from .options import Options, parse_options
from .pool import Terminated
from .process import Starter
from .results import read_result
from .running import Replay, Run, check_options, run_missing, say
from .store import Store
from .tables import TABLES, Rows, cost_table, effects_table, runs_table, summary_table
from .text import describe

#: Exit codes, besides 0: done.
WRONG, UNFINISHED = 1, 2


def list_runs(description: Description, digests: Digests) -> list[Run]:
    """Return all runs, in the order of the tables; equal ones share a directory."""
    runs = []
    names: dict[str, str] = {}
    for combination in combinations_of(description):
        for number in description.seeds:
            identity = digests.describe(combination, number)
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


def write_tables(
    description: Description, store: Store, rows: Rows, analyses: dict[str, Analysis]
) -> None:
    """Write the tables, sweep.csv last."""
    texts = {
        "sweep.csv": runs_table(description, rows),
        "summary.csv": summary_table(description, rows),
        "effects.csv": effects_table(analyses),
        "cost.csv": cost_table(rows),
    }
    for name in reversed(TABLES):
        write_whole(store.folder / name, texts[name])


def note_equal_seeds(rows: Rows) -> None:
    """Say so if run numbers make no difference: then intervals are 0 for want of randomness."""
    results: dict[tuple[str, ...], list[dict[str, float]]] = {}
    for run, result in rows:
        results.setdefault(run.combination.labels, []).append(result.values)
    groups = [group for group in results.values() if len(group) > 1]
    if groups and all(values == group[0] for group in groups for values in group):
        say("note: runs with other numbers have equal results; --jitter, for example, varies them")


def show(options: Options, analyses: dict[str, Analysis]) -> None:
    """Say what came out."""
    for name, analysis in analyses.items():
        tell(describe(name, analysis))
    if any(analysis.together is None for analysis in analyses.values()):
        tell("Not all values are combined, so dimensions may share what they explain.")
    tell(f"wrote {options.output}/{{{','.join(TABLES)}}}")
    tell(f"./wl-report {options.output} makes a page of it")


def run_sweep(options: Options) -> int:
    """Run what is wanted; return the exit code."""
    description = read_description(options.file)
    digests = Digests(options.program, description.folder)
    runs = list_runs(description, digests)
    store = Store(options.output)
    starter = Starter(options.program, description.folder)
    missing = find_missing(description, store, runs)
    count = len({run.digest for run in runs})
    combinations = len(runs) // len(description.seeds)
    say(
        f"{description.name}: {plural(combinations, 'combination')}, {plural(count, 'run')}, "
        f"of which {count - len(missing)} are done; {options.jobs} at a time"
    )
    check_options(description, starter, store, missing, options.jobs)
    failed = []
    if missing:
        store.discard_tables(TABLES)
        failed = run_missing(starter, store, missing, description.keep, options.jobs)
    store.discard_unfinished()
    lost = {replay.run.digest for replay in failed}
    rows = [(run, read_result(store.runs / run.name)) for run in runs if run.digest not in lost]
    analyses = analyse_all(description, rows)
    write_tables(description, store, rows, analyses)
    note_equal_seeds(rows)
    show(options, analyses)
    report_rest(store, runs, rows)
    report_failures(failed)
    return UNFINISHED if failed else 0


def report_failures(failed: list[Replay]) -> None:
    """Tell what went wrong, each message once."""
    found: dict[str, list[Replay]] = {}
    for replay in failed:
        found.setdefault(replay.message, []).append(replay)
    for message, those in found.items():
        more = f" and {plural(len(those) - 1, 'other')}" if len(those) > 1 else ""
        say(f"wl-sweep: failed: {those[0].run.title}{more}: {message}")
    if failed:
        say(
            f"wl-sweep: {plural(len(failed), 'run')} failed, and the tables miss them; the next "
            'start tries again; "exclude" leaves combinations out'
        )


def report_rest(store: Store, runs: list[Run], rows: Rows) -> None:
    """Tell of incomplete runs, and of directories that this sweep does not use."""
    incomplete = sum(not result.complete for _, result in rows)
    if incomplete:
        say(
            f"wl-sweep: {plural(incomplete, 'replay')} could not finish (complete is false in "
            "sweep.csv; messages.txt in the run's directory says why)"
        )
    others = store.others({run.digest for run in runs})
    if others:
        say(
            f"wl-sweep: {store.runs} has {plural(others, 'other run')}: of other options, files or "
            "programs; they are kept and left alone"
        )


def main() -> int:
    """Run the program; return its exit code."""
    try:
        return run_sweep(parse_options(sys.argv[1:]))
    except ReportError as error:
        say(f"wl-sweep: {error}")
        return WRONG
    except (KeyboardInterrupt, Terminated):
        say("wl-sweep: interrupted; the same command goes on with the runs that are missing")
        return UNFINISHED
    except OSError as error:
        say(f"wl-sweep: error: {error.filename or 'a file'}: {error.strerror}")
        return UNFINISHED


if __name__ == "__main__":
    sys.exit(main())
