#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of wl-sweep: most with a stand-in for wl-replay, which is quick and fails when asked to.

usage: sweep-test.py WL_REPLAY [WORD]

Prints a line for each case, and `N passed, N failed` as the last one. Exits 0 if none failed. With
WORD, only cases whose name has it in it. The cases stand in program/, by subject.
"""

import functools
import os
import sys

sys.dont_write_bytecode = True

from program.bench import run_cases
from program.sweep_bench import SweepBench

SUBJECTS = ["sweep_runs", "sweep_interrupted", "sweep_errors", "sweep_values"]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: sweep-test.py WL_REPLAY [WORD]")
    program = os.path.abspath(sys.argv[1])
    sys.exit(run_cases(SUBJECTS, functools.partial(SweepBench, program), *sys.argv[2:]))


if __name__ == "__main__":
    main()
