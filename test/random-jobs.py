#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Replays random valid workloads on all transports, as many as you like.

One workload for each seed, see program/random_jobs.py. What fails is told, and its workload kept.
The last line is `random workloads: N workloads, N replays, N findings`. Exits 0 if nothing failed.
"""

import argparse
import os
import sys
import tempfile

sys.dont_write_bytecode = True

from program.bench import Bench
from program.random_jobs import Job, check_job


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", metavar="WL_REPLAY")
    parser.add_argument("--first", type=int, default=0, help="first seed (default: 0)")
    parser.add_argument("--count", type=int, default=20, help="how many (default: 20)")
    parser.add_argument("--output", help="folder for random-workloads.log and what has failed")
    return parser.parse_args()


class Report:
    """Says what happens, and writes it to a folder if there is one."""

    def __init__(self, folder):
        self.folder = folder
        if folder:
            os.makedirs(folder, exist_ok=True)
            self.write("random-workloads.log", "", "w")

    def write(self, name, text, mode):
        with open(os.path.join(self.folder, name), mode, encoding="utf-8") as file:
            file.write(text)

    def say(self, line):
        print(line, flush=True)
        if self.folder:
            self.write("random-workloads.log", line + "\n", "a")

    def keep(self, job):
        self.say(f"  its options: {' '.join(job.options)}")
        if self.folder:
            self.write(f"random-{job.seed}", job.text, "w")


def main():
    arguments = parse_arguments()
    report = Report(arguments.output)
    replays = findings = 0
    for seed in range(arguments.first, arguments.first + arguments.count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                replays += check_job(Bench(os.path.abspath(arguments.program), None, folder), seed)
            except Exception as error:  # whatever a workload trips over is a finding
                findings += 1
                report.say(f"FAIL seed {seed}: {type(error).__name__}: {error}")
                report.keep(Job(seed))
    report.say(
        f"random workloads: {arguments.count} workloads, {replays} replays, {findings} findings"
    )
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
