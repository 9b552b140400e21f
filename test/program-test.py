#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of wl-replay and wl-collective as their users meet them: exit codes, messages, files.

usage: program-test.py WL_REPLAY WL_COLLECTIVE [SUBJECT]...

Prints a line for each case, and `N passed, N failed` as the last one. Exits 0 if none failed. The
cases stand in program/, by subject; those of the subjects that are named are run, or all but memory,
whose valgrind may not know what optimized code is made for: the processor that it is made on.
"""

import os
import sys

sys.dont_write_bytecode = True

from program.bench import Bench, run_cases

SUBJECTS = ["options", "results", "consistency", "files", "trace", "timeseries", "runs", "foreign"]
SUBJECTS += ["collective", "plans", "kineto", "pytorch", "fit", "chakra", "goal", "jobs", "model"]
SUBJECTS += ["execution_plans", "switch_plans", "reuse", "endings"]
SUBJECTS += ["wrong_inputs", "determinism", "faults", "random_jobs", "random_fabrics"]
SUBJECTS += ["relations", "settings", "network_facts", "placements", "strategies", "levels"]
SUBJECTS += ["kernels", "pages"]


def main():
    subjects = sys.argv[3:] or SUBJECTS
    if len(sys.argv) < 3 or not set(subjects) <= {*SUBJECTS, "memory"}:
        sys.exit("usage: program-test.py WL_REPLAY WL_COLLECTIVE [SUBJECT]...")
    programs = [os.path.abspath(program) for program in sys.argv[1:3]]
    sys.exit(run_cases(subjects, lambda folder: Bench(*programs, folder)))


if __name__ == "__main__":
    main()
