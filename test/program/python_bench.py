# SPDX-License-Identifier: GPL-2.0-only
"""What the cases of python-test.py share: the package, with the programs and with a stand-in."""

import contextlib
import os

from program.bench import TABLE
from program.sweep_bench import SweepBench

import workload_replay


class PythonBench(SweepBench):
    """A directory to work in, with a directory for results in it."""

    def __init__(self, replay, collective, folder):
        super().__init__(replay, folder)
        self.collective = collective
        self.cache = self.path("cache")
        self.table = self.write("table.tsv", TABLE)

    def replay(self, **options):
        """Call replay() with the stand-in, or with another program."""
        given = {"program": self.program, "cache": self.cache, "progress": False, **options}
        return workload_replay.replay(**given)

    def call_sweep(self, grid, **options):
        """Call sweep() likewise."""
        given = {"program": self.program, "cache": self.cache, "progress": False, **options}
        return workload_replay.sweep(grid, **given)


@contextlib.contextmanager
def working_in(folder):
    """Work in another directory meanwhile."""
    old = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(old)


def error_of(kind, function, /, *arguments, **options):
    """The exception of a kind that a call must raise."""
    try:
        function(*arguments, **options)
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__} by {options}")
