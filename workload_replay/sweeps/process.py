# SPDX-License-Identifier: GPL-2.0-only
"""Processes that do not outlive the sweep."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

#: Linux' prctl(2): the signal that a process gets when its parent ends.
PR_SET_PDEATHSIG = 1

#: Times between two looks at the processes, s.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.002, 0.1

#: Environment variables by which ns-3 takes values that no option has.
NS3_VARIABLES = ("NS_GLOBAL_VALUE", "NS_ATTRIBUTE_DEFAULT", "NS_LOG")


def _environment(folder: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in NS3_VARIABLES}
    return {**kept, "PWD": str(folder)}


class Starter:
    """Starts processes that are killed when this one ends, however it does."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self._folder = folder  #: that they work in
        self._environment = _environment(folder)
        self._parent = os.getpid()
        self._prctl = ctypes.CDLL(None).prctl

    def _in_child(self) -> None:
        self._prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self._parent:  # it has ended in the meantime
            os._exit(1)

    def start(self, arguments: list[str], out: Path, err: Path) -> subprocess.Popen[bytes]:
        """Start the program; what it says goes to files."""
        with open(out, "wb") as out_file, open(err, "wb") as err_file:
            return subprocess.Popen(
                [self.program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out_file,
                stderr=err_file,
                cwd=self._folder,
                env=self._environment,
                start_new_session=True,  # Ctrl-C is for the sweep, which then ends them
                preexec_fn=self._in_child,
            )


def wait_for_any(
    processes: list[subprocess.Popen[bytes]], wait: Callable[[], None]
) -> subprocess.Popen[bytes]:
    """Wait until one of these ends; return it.

    Asks each in turn: whoever imports this may have other processes, whose ends are not ours to wait
    for.
    """
    pause = SHORTEST_PAUSE
    while True:
        for process in processes:
            if process.poll() is not None:
                return process
        wait()
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def kill_all(processes: list[subprocess.Popen[bytes]]) -> None:
    """End processes at once."""
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()
