#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of wl-replay and wl-collective as their users meet them: exit codes, messages, files.

usage: program-test.py WL_REPLAY WL_COLLECTIVE

Prints a line for each case, and `N passed, N failed` as the last one. Exits 0 if none failed. The
cases stand in program/, by subject.
"""

import os
import sys

sys.dont_write_bytecode = True

from program.bench import Bench, run_cases

SUBJECTS = ["options", "results", "consistency", "files", "trace", "timeseries", "runs"]
SUBJECTS += ["collective", "chakra", "goal", "jobs", "model", "reuse"]


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: program-test.py WL_REPLAY WL_COLLECTIVE")
    programs = [os.path.abspath(program) for program in sys.argv[1:]]
    sys.exit(run_cases(SUBJECTS, lambda folder: Bench(*programs, folder)))


if __name__ == "__main__":
    main()
