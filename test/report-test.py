#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of wl-report: its page, its figures and its messages, on small directories made by hand.

usage: report-test.py

Prints a line for each case, and `N passed, N failed` as the last one. Exits 0 if none failed. Needs
pandas and matplotlib. The cases stand in program/, by subject.
"""

import sys

sys.dont_write_bytecode = True

from program.bench import run_cases
from program.report_bench import ReportBench

SUBJECTS = [
    "report_values",
    "report_timeseries",
    "report_page",
    "report_errors",
    "report_fabric",
    "report_sweep",
    "report_browser",
]


def main():
    if len(sys.argv) != 1:
        sys.exit("usage: report-test.py")
    sys.exit(run_cases(SUBJECTS, ReportBench))


if __name__ == "__main__":
    main()
