#!/usr/bin/env python3
#
# SPDX-License-Identifier: GPL-2.0-only

"""Compare simulated all-reduces with tables that nccl-tests has measured.

Usage: compare-with-nccl-tables.py WL_REPLAY TABLES [--max-bytes=N] [--only=NAME] [-- OPTION ...]

TABLES is a directory of CSV files with the columns size_bytes and time_us, named
FABRIC-Snode-allreduce_Ngpu.csv: S servers and N ranks on the named fabric. Every row up to
--max-bytes (default 128 MiB) is replayed; options after -- go to wl-replay. Prints measured and
simulated time and the error of each row, and per table the geometric mean of 1 + |error| and the
worst error. Ends with 1 if a row is off by more than 30 % or a mean by more than 10 %, and with 0
and a message if there are no tables.
"""

import argparse
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

COLUMNS = [
    "name",
    "forward_compute_time",
    "forward_comm_type",
    "forward_comm_size",
    "backward_compute_time",
    "backward_comm_type",
    "backward_comm_size",
    "weight_grad_compute_time",
    "weight_grad_comm_type",
    "weight_grad_comm_size",
    "process_time",
]
NAME = re.compile(r"(\w+)-(\d+)node-allreduce_(\d+)gpu\.csv$")


def simulate(program, fabric, servers, ranks, size, options):
    """Return time in microseconds and name of the algorithm of one all-reduce."""
    with tempfile.TemporaryDirectory() as directory:
        table = pathlib.Path(directory, "all-reduce.tsv")
        row = ["x", 0, "ALLREDUCE", size, 0, "None", 0, 0, "None", 0, 0]
        table.write_text("\t".join(COLUMNS) + "\n" + "\t".join(map(str, row)) + "\n")
        command = [
            program,
            f"--workload={table}",
            f"--fabric={fabric}",
            f"--world={ranks}",
            "--elementBytes=1",
            "--progress=off",
            f"--outputDir={directory}",
        ]
        if ranks == servers:
            command += ["--gpusPerServer=1", "--nicsPerServer=1"]
        subprocess.run(command + options, check=True, stdout=subprocess.DEVNULL)
        summary = json.loads(pathlib.Path(directory, "summary.json").read_text())
        collective = summary["collectives"][0]
        return collective["max_ns"] / 1000, collective["algorithm"]


def mean_error(errors):
    """Return the geometric mean of 1 + |error|, less 1."""
    return math.exp(sum(math.log1p(abs(error)) for error in errors) / len(errors)) - 1


def main():
    """Compare all tables of a directory."""
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        options = arguments[arguments.index("--") + 1 :]
        arguments = arguments[: arguments.index("--")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="path of wl-replay")
    parser.add_argument("tables", help="directory of measured tables")
    parser.add_argument("--max-bytes", type=int, default=128 << 20)
    parser.add_argument("--only", default="", help="part of the names of the tables to compare")
    given = parser.parse_args(arguments)

    everything = []
    is_good = True
    for path in sorted(pathlib.Path(given.tables).glob("*-allreduce_*gpu.csv")):
        match = NAME.match(path.name)
        if not match or given.only not in path.name:
            continue
        fabric, servers, ranks = match[1], int(match[2]), int(match[3])
        print(f"{path.name}\n{'bytes':>12} {'measured, us':>14} {'simulated, us':>14} {'error, %':>9}")
        errors = []
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                size, measured = int(row["size_bytes"]), float(row["time_us"])
                if size > given.max_bytes:
                    break
                time, name = simulate(given.program, fabric, servers, ranks, size, options)
                errors.append(time / measured - 1)
                print(f"{size:>12} {measured:>14.1f} {time:>14.1f} {100 * errors[-1]:>+9.1f}  {name}")
        worst = max(errors, key=abs)
        mean = mean_error(errors)
        print(f"geometric mean {100 * mean:.1f} %, worst {100 * worst:+.1f} %\n")
        is_good = is_good and abs(worst) <= 0.3 and mean <= 0.1
        everything += errors
    if not everything:
        print(f"skipped: there are no tables in {given.tables}")
        return 0
    print(f"all: geometric mean {100 * mean_error(everything):.1f} %")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
