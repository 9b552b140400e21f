#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sum the compute times and communication bytes of a SimAI, AICB or ASTRA-sim 1.0 layer file.

Prints what one rank of each pipeline stage does in an iteration. Independent of the module's
reader: a check on what it makes of a file. Knows the policies HYBRID_TRANSFORMER and
HYBRID_TRANSFORMER_FWD_IN_BCKWD without checkpoints, and one model chunk per stage.
"""

import argparse
import re
import sys
from collections import defaultdict

ONCE = re.compile(
    r"(moe_grad_norm|grad_param|optimizer).*|layernorm|embedding_grads|grad_gather|grad_norm"
)
LAST = re.compile(r"final_column|embedding_norm|cross_entropy.*")


def parse_arguments():
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="layer file")
    parser.add_argument("--order", choices=("megatron", "literal"), default="megatron")
    parser.add_argument("--ppBytes", type=int, help="bytes of a pipeline message")
    return parser.parse_args()


def read(path):
    """Return the header as a dictionary, and the rows as lists of words."""
    with open(path, encoding="utf-8") as stream:
        header, count, *rows = [line.split() for line in stream if line.strip()]
    words = " ".join(header[1:]).replace(":", " ").split()
    assert len(rows) == int(count[0]), "number of rows"
    return {key: float(value) for key, value in zip(words, words[1:]) if value[0].isdigit()}, rows


def dimension(word, column):
    """Return the group of a communication in a column, 0 to 2."""
    if word.endswith("_DP_EP"):
        return "edp"
    if word.endswith("_EP"):
        return "ep"
    return "dp" if column == 2 else "tp"


def add(sums, row, times):
    """Add what a row does, so many times."""
    update = int(row[11]) * 1000
    for column in range(3):
        time, word, size = row[2 + 3 * column : 5 + 3 * column]
        sums["compute"][0] += times * (int(time) > 0)
        sums["compute"][1] += times * int(time) * 1000
        if word == "NONE" or int(size) == 0:
            continue
        name = dimension(word, column)
        sums[name][0] += times
        sums[name][1] += times * int(size)
        sums["update"][0] += times * (update > 0)
        sums["update"][1] += times * update


def belongs(name, stage, stages):
    """Return whether a stage runs rows of a name."""
    if name == "embedding_layer":
        return stage == 0
    if name == "embedding_grads":
        return stage in (0, stages - 1)
    return stage == stages - 1 or not LAST.fullmatch(name)


def count_stage(rows, stage, header):
    """Return the sums of a rank of a stage."""
    stages, microbatches = int(header.get("pp", 1)), int(header.get("ga", 1))
    written = sum(row[0] == "embedding_layer" for row in rows) if microbatches > 1 else 1
    assert written in (0, 1, microbatches), "rows of embedding_layer"
    sums = defaultdict(lambda: [0, 0])
    for row in rows:
        if belongs(row[0], stage, stages):
            add(sums, row, 1 if ONCE.fullmatch(row[0]) else microbatches // max(1, written))
    return sums


def main():
    """Print the sums of each stage."""
    arguments = parse_arguments()
    header, rows = read(arguments.file)
    if arguments.order == "literal":
        header.update(pp=1, ga=1)
        sums = defaultdict(lambda: [0, 0])
        for row in rows:
            add(sums, row, 1)
        stages = [sums]
    else:
        stages = [count_stage(rows, stage, header) for stage in range(int(header.get("pp", 1)))]
    message = arguments.ppBytes or int(header.get("pp_comm", 0))
    for stage, sums in enumerate(stages):
        neighbours = (stage > 0) + (stage + 1 < len(stages))
        sends = neighbours * int(header.get("ga", 1))
        if sends:
            sums["pp"] = [sends, sends * message]
        for name in sorted(sums):
            print(f"stage {stage} {name} {sums[name][0]} {sums[name][1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
