#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the package workload_replay as scripts and notebooks use it.

usage: python-test.py WL_REPLAY WL_COLLECTIVE [WORD]

Prints a line for each case, and `N passed, N failed` as the last one. Exits 0 if none failed. With
WORD, only cases whose name has it in it. Needs pandas and matplotlib. The cases stand in program/.
"""

import functools
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from program.bench import run_cases
from program.python_bench import PythonBench

SUBJECTS = ["python_replays", "python_sweeps"]


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: python-test.py WL_REPLAY WL_COLLECTIVE [WORD]")
    programs = [os.path.abspath(path) for path in sys.argv[1:3]]
    sys.exit(run_cases(SUBJECTS, functools.partial(PythonBench, *programs), *sys.argv[3:]))


if __name__ == "__main__":
    main()
