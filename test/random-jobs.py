#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Replays random valid workloads on all transports, as many as you like.

usage: random-jobs.py WL_REPLAY FIRST LAST [OUTPUT]

One workload for each seed from FIRST to LAST, see program/random_jobs.py. What fails is told, and
its workload kept in the folder OUTPUT. The last line is `random workloads: N workloads, N replays,
N findings`. Exits 0 if nothing failed.
"""

import os
import sys
import tempfile

sys.dont_write_bytecode = True

from program.bench import Bench
from program.random_jobs import Job, check_job


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit("usage: random-jobs.py WL_REPLAY FIRST LAST [OUTPUT]")
    program, first, last = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    replays = findings = 0
    for seed in range(first, last + 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                replays += check_job(Bench(program, None, folder), seed)
            except Exception as error:  # whatever a workload trips over is a finding
                findings += 1
                print(f"FAIL seed {seed}: {type(error).__name__}: {error}", flush=True)
                if len(sys.argv) == 5:
                    os.makedirs(sys.argv[4], exist_ok=True)
                    job = Job(seed)
                    with open(os.path.join(sys.argv[4], f"random-{seed}"), "w") as file:
                        file.write(job.text)
                    print("  " + " ".join(job.options), flush=True)
    count = last - first + 1
    print(f"random workloads: {count} workloads, {replays} replays, {findings} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
