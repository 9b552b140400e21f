#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of wl-replay and wl-collective as their users meet them: exit codes, messages, files.

usage: program-test.py WL_REPLAY WL_COLLECTIVE

Prints a line for each case, and `N passed, N failed` as the last one. Exits 0 if none failed. The
cases stand in program/, by subject.
"""

import importlib
import os
import sys
import tempfile

sys.dont_write_bytecode = True

from program.bench import CASES, Bench

SUBJECTS = ["options", "results", "runs", "collective", "chakra", "goal", "jobs", "model"]


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: program-test.py WL_REPLAY WL_COLLECTIVE")
    programs = [os.path.abspath(program) for program in sys.argv[1:]]
    for subject in SUBJECTS:
        importlib.import_module("program." + subject)
    failed = 0
    for function in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(Bench(*programs, folder))
                print(f"PASS {function.__doc__}", flush=True)
            except Exception as error:  # whatever a case trips over is its failure
                failed += 1
                print(f"FAIL {function.__doc__}: {type(error).__name__}: {error}", flush=True)
    print(f"{len(CASES) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
