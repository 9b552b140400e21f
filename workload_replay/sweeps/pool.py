# SPDX-License-Identifier: GPL-2.0-only
"""Does pieces of work, as many at a time as there are cores for."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from .process import Starter, kill_all, wait_for_any


class Work(Protocol):
    """A process to be run."""

    def begin(self) -> tuple[list[str], Path, Path]:
        """Make ready; return the arguments and the files for standard output and error."""

    def end(self, code: int) -> None:
        """Look at what the process has done."""


def run_all(
    starter: Starter,
    works: Iterable[Work],
    jobs: int,
    done: Callable[[Work], None],
    wait: Callable[[], None] = lambda: None,
) -> None:
    """Do all, and say of each when it is done; if this is left early, none of them goes on.

    wait is called again and again while some of them run.
    """
    running: dict[subprocess.Popen[bytes], Work] = {}
    waiting = iter(works)
    exhausted = False
    try:
        while True:
            while len(running) < jobs and not exhausted:
                work = next(waiting, None)
                exhausted = work is None
                if work is not None:
                    running[starter.start(*work.begin())] = work
            if not running:
                return
            process = wait_for_any(list(running), wait)
            work = running.pop(process)
            work.end(process.returncode)
            done(work)
    finally:
        kill_all(list(running))
