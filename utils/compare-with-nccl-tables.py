#!/usr/bin/env python3
#
# SPDX-License-Identifier: GPL-2.0-only

"""Compare simulated all-reduces with tables that nccl-tests has measured.

Usage: compare-with-nccl-tables.py WL_COLLECTIVE TABLES [--max-bytes=N] [--only=NAME] [-- OPTION ...]

TABLES is a directory of CSV files with the columns size_bytes and time_us, named
FABRIC-Snode-allreduce_Ngpu.csv: S servers and N ranks on the named fabric. Every row up to
--max-bytes (default 1 GiB) is simulated; options after -- go to wl-collective. Prints measured and
simulated time and the error of each row, and per table the geometric mean of 1 + |error| and the
worst error. Ends with 1 if a row is off by more than 40 % or a mean by more than 10 %, and with 0
and a message if there are no tables. Rows that their own table contradicts are marked and left out:
such whose time is more than 1.5 times that of the next larger size.
"""

import argparse
import csv
import io
import math
import pathlib
import re
import subprocess
import sys

NAME = re.compile(r"(\w+)-(\d+)node-allreduce_(\d+)gpu\.csv$")


# A row that takes so many times as long as the next larger size says nothing about its own size.
OUTLIER = 1.5


def read_table(path, most):
    """Return size and time in microseconds of each row up to a size, and which rows to leave out."""
    with path.open(newline="") as file:
        rows = [(int(row["size_bytes"]), float(row["time_us"])) for row in csv.DictReader(file)]
    outliers = {rows[i][0] for i in range(len(rows) - 1) if rows[i][1] > OUTLIER * rows[i + 1][1]}
    return [row for row in rows if row[0] <= most], outliers


def simulate(program, fabric, servers, ranks, sizes, options):
    """Return by size the time in microseconds and the algorithm of an all-reduce."""
    command = [
        program,
        "--kind=all-reduce",
        f"--fabric={fabric}",
        f"--ranks={ranks}",
        f"--servers={servers}",
        f"--minBytes={sizes[0]}",
        f"--maxBytes={sizes[-1]}",
        "--csv",
    ]
    run = subprocess.run(command + options, check=True, stdout=subprocess.PIPE, text=True)
    rows = csv.DictReader(io.StringIO(run.stdout))
    return {int(row["size_bytes"]): (float(row["time_us"]), row["algorithm"]) for row in rows}


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
    parser.add_argument("program", help="path of wl-collective")
    parser.add_argument("tables", help="directory of measured tables")
    parser.add_argument("--max-bytes", type=int, default=1 << 30)
    parser.add_argument("--only", default="", help="part of the names of the tables to compare")
    given = parser.parse_args(arguments)

    everything = []
    is_good = True
    for path in sorted(pathlib.Path(given.tables).glob("*-allreduce_*gpu.csv")):
        match = NAME.match(path.name)
        if not match or given.only not in path.name:
            continue
        fabric, servers, ranks = match[1], int(match[2]), int(match[3])
        table, outliers = read_table(path, given.max_bytes)
        sizes = [size for size, _ in table]
        simulated = simulate(given.program, fabric, servers, ranks, sizes, options)
        print(f"{path.name}\n{'bytes':>12} {'measured, us':>14} {'simulated, us':>14} {'error, %':>9}")
        errors = []
        for size, measured in table:
            time, name = simulated[size]
            error = time / measured - 1
            mark = " (left out)" if size in outliers else ""
            print(f"{size:>12} {measured:>14.1f} {time:>14.1f} {100 * error:>+9.1f}  {name}{mark}")
            if size not in outliers:
                errors.append(error)
        worst = max(errors, key=abs)
        mean = mean_error(errors)
        print(f"geometric mean {100 * mean:.1f} %, worst {100 * worst:+.1f} %\n")
        is_good = is_good and abs(worst) <= 0.4 and mean <= 0.1
        everything += errors
    if not everything:
        print(f"skipped: there are no tables in {given.tables}")
        return 0
    print(f"all: geometric mean {100 * mean_error(everything):.1f} %")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
