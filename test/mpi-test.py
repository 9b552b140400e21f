#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of wl-replay in several processes: equal to one process, and what ends badly.

usage: mpi-test.py WL_REPLAY [WORD]

WL_REPLAY is one that was built with MPI, whose mpirun is found on the path. With WORD only the
cases run whose name has it. Prints and exits as program-test.py does; the cases stand in
program/mpi.py.
"""

import os
import sys

sys.dont_write_bytecode = True

from program.bench import run_cases
from program.processes import Processes


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: mpi-test.py WL_REPLAY [WORD]")
    program = os.path.abspath(sys.argv[1])
    # One by one: each starts several processes, and some are about how long these take.
    word = sys.argv[2] if len(sys.argv) == 3 else ""
    sys.exit(run_cases(["mpi"], lambda folder: Processes(program, folder), word, workers=1))


if __name__ == "__main__":
    main()
