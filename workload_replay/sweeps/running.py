# SPDX-License-Identifier: GPL-2.0-only
"""Checks the options of all combinations, and then runs what is not done."""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..report.input.summary import read_summary
from ..report.units import plural, seconds
from .description import Description
from .grid import Combination
from .pool import run_all
from .process import Starter
from .store import Store

#: How wl-replay says, at exit code 2, that it was asked to end: no result.
INTERRUPTED = "was interrupted"


@dataclass
class Run:
    """One run of a combination."""

    combination: Combination
    number: int
    digest: str
    name: str  #: of its directory
    identity: dict[str, Any]  #: all that it depends on

    @property
    def title(self) -> str:
        """Return what messages call it."""
        return f"{self.combination.title}, run={self.number}"


def last_line(path: Path) -> str:
    """Return the last line of what a program wrote on standard error."""
    lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "nothing on standard error"


def say(text: str) -> None:
    """Tell the user what goes on."""
    print(text, file=sys.stderr, flush=True)


#: Options that say what files hold.
OF_FILES = [
    "flowPaths",
    "timeSeries",
    "timeSeriesLinks",
    "timeSeriesRanks",
    "traceRanks",
    "traceStages",
    "traceTime",
]


@dataclass
class Check:
    """A dry run: the program says what is wrong with a combination's options."""

    run: Run
    store: Store
    message: str = ""
    work: Path = field(init=False)

    def begin(self) -> tuple[list[str], Path, Path]:
        """Make ready; return the arguments and the files for standard output and error."""
        self.work = self.store.begin("check")
        # What files hold is only asked of runs that write some.
        options = {
            name: setting
            for name, setting in self.run.combination.options.items()
            if name not in OF_FILES
        }
        combination = replace(self.run.combination, options=options)
        arguments = [*combination.arguments(), f"--run={self.run.number}", "--dryRun"]
        return arguments, self.work / "out", self.work / "err"

    def end(self, code: int) -> None:
        """Note what is wrong."""
        if code != 0:
            self.message = last_line(self.work / "err")
            if code != 1:
                self.message = f"the program ended with {describe_code(code)}: {self.message}"
        self.store.discard(self.work)


def describe_code(code: int) -> str:
    """Return what the end of a process was."""
    if code >= 0:
        return f"exit code {code}"
    name = signal.Signals(-code).name if -code in list(signal.Signals) else f"signal {-code}"
    memory = " (out of memory? --jobs=1 needs the least)" if -code == signal.SIGKILL else ""
    return name + memory


def _wrong_combinations(description: Description, checks: list[Check]) -> InputError:
    """Return an error with a line for each message, which names the first combination with it."""
    found: dict[str, list[Check]] = {}
    for check in checks:
        found.setdefault(check.message, []).append(check)
    lines = []
    for message, those in found.items():
        combination = those[0].run.combination
        where, text = str(description.path), message
        refused = re.match(r"--([^:= ]+(?:::[^:= ]+)*): (error: .*)", message)
        if refused and refused[1] in combination.options:
            where, text = f"{where}:{combination.options[refused[1]].pointer}", refused[2]
        elif not re.search(r"\berror: ", text):
            text = f"error: {text}"
        more = f" and {plural(len(those) - 1, 'other')}" if len(those) > 1 else ""
        lines.append(f"{where}: {text} (with {combination.title}{more})")
    return InputError("\nwl-sweep: ".join(lines))


def check_options(
    description: Description, starter: Starter, store: Store, runs: list[Run], jobs: int
) -> None:
    """Have the program look at each combination, before anything runs."""
    first = {id(run.combination): run for run in reversed(runs)}
    checks = [Check(run, store) for run in reversed(first.values())]
    run_all(starter, checks, jobs, lambda check: None)
    wrong = [check for check in checks if check.message]
    if wrong:
        raise _wrong_combinations(description, wrong)


@dataclass
class Replay:
    """A run of the program."""

    run: Run
    store: Store
    keep: list[str]
    progress: str = "off"  #: on: the file of messages says how far it is
    message: str = ""  #: what went wrong
    code: int = 0  #: that the program ended with
    words: str = ""  #: the last line that it wrote on standard error
    wall: float = 0.0  #: seconds that it took
    work: Path = field(init=False)

    def begin(self) -> tuple[list[str], Path, Path]:
        """Make ready; return the arguments and the files for standard output and error."""
        self.work = self.store.begin(self.run.name)
        self.wall = -time.monotonic()
        arguments = [
            *self.run.combination.arguments(),
            f"--run={self.run.number}",
            f"--outputDir={self.work.resolve()}",
            f"--files={','.join(['summary.json', *self.keep])}",
            f"--progress={self.progress}",
        ]
        return arguments, self.work / "report.txt", self.work / "messages.txt"

    def end(self, code: int) -> None:
        """Keep what it has written, or say why it is no result."""
        self.wall += time.monotonic()
        self.message = self._judge(code)
        if self.message:
            self.store.discard(self.work)
            return
        record = {**self.run.identity, "exit_code": code, "kept": self.keep}
        self.store.finish(self.work, self.run.name, record)

    def _judge(self, code: int) -> str:
        """Return what is wrong, or nothing; a replay that cannot finish is a result, too."""
        self.code = code
        self.words = last = last_line(self.work / "messages.txt")
        if code not in (0, 2):
            return f"{describe_code(code)}: {last}"
        if code == 2 and INTERRUPTED in last:
            return last
        try:
            complete = read_summary(self.work)["complete"]
        except InputError as error:
            return f"{describe_code(code)}, but {str(error).replace(f'{self.work}/', '')}"
        if complete != (code == 0):
            return f"{describe_code(code)}, but the summary says complete={complete}: {last}"
        return ""


class Progress:
    """Says what is done and how long the rest will take."""

    def __init__(self, count: int, jobs: int, notify: Callable[[str], None] = say) -> None:
        self._notify = notify
        self._count = count
        self._jobs = jobs
        self._done = 0
        self._wall = 0.0
        self.failed: list[Replay] = []

    def note(self, replay: Replay) -> None:
        """Say that a run has ended."""
        self._done += 1
        self._wall += replay.wall
        width = len(str(self._count))
        line = f"[{self._done:{width}}/{self._count}] {replay.run.title}: "
        if replay.message:
            self.failed.append(replay)
            line += f"FAILED, {replay.message}"
        else:
            line += seconds(replay.wall)
        left = self._count - self._done
        if left:
            line += f"; about {seconds(self._wall / self._done * left / self._jobs)} left"
        self._notify(line)


def run_missing(
    starter: Starter,
    store: Store,
    runs: list[Run],
    keep: list[str],
    jobs: int,
    notify: Callable[[str], None] = say,
) -> list[Replay]:
    """Run what is not done; return what went wrong."""
    progress = Progress(len(runs), min(jobs, len(runs)), notify)
    note: Callable[[Any], None] = progress.note
    run_all(starter, (Replay(run, store, keep) for run in runs), jobs, note)
    # In the order of the runs, not of their ends.
    return sorted(progress.failed, key=lambda replay: runs.index(replay.run))
