#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sum the compute times and communication bytes of an op table.

Independent of the module's reader: a check on what it makes of a table.
"""

import argparse
import csv
import sys
from decimal import ROUND_HALF_UP, Decimal

PASSES = ("forward", "backward", "weight_grad")


def parse_arguments():
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", help="op table, tab-separated")
    parser.add_argument(
        "--elementBytes", type=int, default=4, help="bytes of an element (default: 4)"
    )
    parser.add_argument(
        "--repeat", metavar="FIRST:LAST:N", help="rows FIRST to LAST stand N times in the model"
    )
    return parser.parse_args()


def read_rows(table):
    """Return the rows of a table as dictionaries by column."""
    with open(table, encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def repeat_rows(rows, repeat):
    """Return the rows of the model."""
    if not repeat:
        return rows
    first, last, count = repeat.rsplit(":", 2)
    names = [row["name"] for row in rows]
    begin, end = names.index(first), names.index(last) + 1
    return rows[:begin] + rows[begin:end] * int(count) + rows[end:]


def to_picoseconds(milliseconds):
    """Return a time in ps, rounded to nearest."""
    return int((Decimal(milliseconds) * 10**9).to_integral_value(ROUND_HALF_UP))


def main():
    """Print the sums of each pass and of all."""
    arguments = parse_arguments()
    rows = repeat_rows(read_rows(arguments.table), arguments.repeat)
    print(f"rows {len(rows)}")
    total_ps = total_elements = 0
    for name in PASSES:
        times = [to_picoseconds(row[f"{name}_compute_time"]) for row in rows]
        sizes = [int(Decimal(row[f"{name}_comm_size"])) for row in rows]
        total_ps += sum(times)
        total_elements += sum(sizes)
        print(
            f"{name}: {sum(times)} ps in {sum(t > 0 for t in times)} ops, "
            f"{sum(sizes) * arguments.elementBytes} bytes in {sum(s > 0 for s in sizes)} ops"
        )
    print(f"total: {total_ps / 1e9:.6f} ms, {total_elements * arguments.elementBytes} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
