#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of utils/setup.sh and utils/testing.sh: what is built anew, and what counts as tested.

usage: setup-test.py

Prints a line for each case, and `N passed, N failed` as the last one. Exits 0 if none failed. The
cases stand in program/, by subject.
"""

import sys

sys.dont_write_bytecode = True

from program.bench import run_cases
from program.setup import SetupBench


def main():
    if len(sys.argv) != 1:
        sys.exit("usage: setup-test.py")
    sys.exit(run_cases(["setup", "clones", "counts"], SetupBench))


if __name__ == "__main__":
    main()
