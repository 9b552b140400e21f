#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Replays random valid workloads on all transports, as many as you like.

Two workloads for each seed: one on a plain network, see program/random_jobs.py, and one on a named
fabric or on other servers, see program/random_fabrics.py. What fails is reported, and its workload kept.
All cores are used. The last line is `random workloads: N workloads, N replays, N findings`. Exits 0 if nothing failed.
"""

import argparse
import concurrent.futures
import multiprocessing
import os
import shlex
import sys
import tempfile

sys.dont_write_bytecode = True

from program.bench import Bench
from program.random_fabrics import FabricJob, check_fabric_job
from program.random_jobs import Job, check_job

#: What there is to replay, by name: makes a workload from a seed, and replays it.
JOBS = {"random": (Job, check_job), "fabric": (FabricJob, check_fabric_job)}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", metavar="WL_REPLAY")
    parser.add_argument("--first", type=int, default=0, help="first seed (default: 0)")
    parser.add_argument("--count", type=int, default=20, help="how many (default: 20)")
    parser.add_argument("--transport", default="", help="only this one, and ideal (default: all)")
    parser.add_argument("--output", help="folder for random-workloads.log and what has failed")
    arguments = parser.parse_args()
    if arguments.first < 0 or arguments.count < 1:
        parser.error("--first is at least 0, and --count at least 1")
    return arguments


class Report:
    """Says what happens, and writes it to a folder if there is one."""

    def __init__(self, folder):
        self.folder = folder
        if folder:
            os.makedirs(folder, exist_ok=True)
            self.write("random-workloads.log", "")

    def write(self, name, content, mode="wb"):
        with open(os.path.join(self.folder, name), mode) as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def say(self, line):
        print(line, flush=True)
        if self.folder:
            self.write("random-workloads.log", line + "\n", "ab")

    def keep(self, name, job):
        self.say(f"  its options: {shlex.join(job.options)}")
        if self.folder:
            folder = f"{name}-{job.seed}"
            os.makedirs(os.path.join(self.folder, folder), exist_ok=True)
            for file, content in job.files.items():
                self.write(os.path.join(folder, file), content)


def replay(name, seed, program, transport):
    """Replay a workload; returns how many replays there were, and what it tripped over."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return JOBS[name][1](Bench(program, None, folder), seed, transport), ""
        except Exception as error:  # whatever a workload trips over is a finding
            return 0, f"{type(error).__name__}: {error}"


def main():
    arguments = parse_arguments()
    report = Report(arguments.output)
    replays = findings = 0
    program = os.path.abspath(arguments.program)
    seeds = range(arguments.first, arguments.first + arguments.count)
    works = [(name, seed) for seed in seeds for name in JOBS]
    fork = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), fork) as executor:
        tried = [executor.submit(replay, *work, program, arguments.transport) for work in works]
        for (name, seed), done in zip(works, tried):
            count, finding = done.result()
            replays += count
            if finding:
                findings += 1
                report.say(f"FAIL {name}, seed {seed}: {finding}")
                report.keep(name, JOBS[name][0](seed))
    report.say(f"random workloads: {len(works)} workloads, {replays} replays, {findings} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
