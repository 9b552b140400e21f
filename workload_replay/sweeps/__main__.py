# SPDX-License-Identifier: GPL-2.0-only
"""The program: runs what is not done and writes the tables."""

from __future__ import annotations

import signal
import sys

from ..errors import InputError
from ..program import command
from ..report.units import plural
from ..report.writing import write_line
from .description import read_description
from .effects import Analysis
from .options import Options, parse_options
from .performing import list_runs, perform
from .running import Replay, Run, say
from .store import Store
from .tables import TABLES, Rows
from .text import describe

#: Exit codes, besides 0: done.
WRONG, UNFINISHED = 1, 2


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
        write_line(describe(name, analysis))
    if any(analysis.together is None for analysis in analyses.values()):
        write_line("Not all values are combined, so dimensions may share what they explain.")
    write_line(f"wrote {options.output}/{{{','.join(TABLES)}}}")
    write_line(f"{command('wl-report')} {options.output} makes a page of it")


def run_sweep(options: Options) -> int:
    """Run what is wanted; return the exit code."""
    description = read_description(options.file)
    # What is wrong with them is said before there is a directory.
    runs = list_runs(description, options.program)
    store = Store(options.output)
    outcome = perform(description, runs, options.program, store, options.jobs)
    note_equal_seeds(outcome.rows)
    show(options, outcome.analyses)
    report_rest(store, outcome.runs, outcome.rows)
    report_failures(outcome.failed)
    return UNFINISHED if outcome.failed else 0


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


class Terminated(Exception):
    """The sweep was asked to end."""


def _terminate(_signal: int, _frame: object) -> None:
    raise Terminated


def main() -> int:
    """Run the program; return its exit code."""
    signal.signal(signal.SIGTERM, _terminate)
    signal.signal(signal.SIGHUP, _terminate)
    try:
        return run_sweep(parse_options(sys.argv[1:]))
    except InputError as error:
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
