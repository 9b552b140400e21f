# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: accelerators fitted to tables of kernels."""

import json
import os

from program.bench import WORKLOADS, case

PROGRAM = os.path.join(WORKLOADS, "../../wl-model")

# Peaks of h100.
FLOPS, MEMORY = 989.4e12, 3350e9

LAUNCH, SHARE, MEMORY_SHARE, HALF_DEPTH = 4e-6, 0.7, 0.8, 100


def make_products():
    """Lines of matrix multiplications whose times follow a launch, a roofline and what depth costs."""
    lines = []
    for m in (512, 1024, 4096, 16384):
        for n in (256, 2048, 8192):
            for k in (128, 1024, 8192):
                compute = 2 * m * n * (k + HALF_DEPTH) / (SHARE * FLOPS)
                memory = 2 * (m * k + k * n + m * n) / (MEMORY_SHARE * MEMORY)
                lines.append(f"gemm,X,bf16,{m},{n},{k},,{1e6 * (LAUNCH + max(compute, memory)):.6g}")
    return lines


def make_norms():
    """Lines of norms of 64 MiB and more, at half of the memory's rate."""
    sizes = [2**exponent for exponent in range(26, 32)]
    return [f"ln,X,fp32,,,,{size},{1e6 * (LAUNCH + size / (0.5 * MEMORY)):.6g}" for size in sizes]


HEAD = "kind,gpu,precision,m,n,k,bytes,us"


@case
def kernels_fitted(bench):
    """wl-model: finds what made-up kernels were made from, and wl-replay reads the file"""
    table = bench.write("kernels.csv", "\n".join([HEAD, *make_products(), *make_norms()]) + "\n")
    file = bench.path("mine.json")
    code, out, err = bench.run(f"--fit={table}", f"--output={file}", program=PROGRAM)
    assert (code, err) == (0, ""), (code, err)
    with open(file, encoding="utf-8") as stream:
        operators = json.load(stream)["operators"]
    found = operators["products"]["bf16"]
    assert abs(found["share"] / SHARE - 1) < 0.01 and abs(found["memory"] / MEMORY_SHARE - 1) < 0.01, found
    assert abs(found["halfDepth"] / HALF_DEPTH - 1) < 0.03, found
    assert abs(float(found["launch"].removesuffix("ns")) / 4000 - 1) < 0.05, found
    assert abs(operators["memoryBound"]["norm"] / 0.5 - 1) < 0.01, operators
    # Of 36 products 7 have less than 1e9 FLOP: 512 x 256, 512 x 2048, 1024 x 256, 1024 x 2048 and
    # 4096 x 256 by 128, and 512 x 256 and 1024 x 256 by 1024.
    rows = {line[:32].strip(): line[32:].split() for line in out.splitlines()}
    assert rows["product bf16"][0] == "29" and rows["norm"][0] == "6", out
    # Nothing is off: of rows that were fitted, and of those that were left out.
    for kind in ("product bf16", "norm"):
        assert all(float(cell) < 2 for cell in rows[kind][1::2]), out
    code, out, err = bench.run("--model=llama3-8b", "--world=8", f"--accelerator={file}", "--dryRun")
    assert (code, err) == (0, "") and "mine" in out, (code, out, err)


@case
def kernels_wrong(bench):
    """wl-model: tells what is wrong with a table"""
    good = make_products()
    tables = {
        "": ("kernels.csv:1: error: expected the columns kind, gpu, precision, us, found no kind", []),
        HEAD: ("--fit: error: expected 4 large kernels of a kind, found none in '", good[:2]),
        HEAD + ",": ("kernels.csv:2: error: expected a number above 0 as m, found 'many'", ["gemm,X,bf16,many,1,1,,1"]),
        HEAD + ",a": ("--gpu: error: expected one of X, Y, found ''", [good[0], "ln,Y,fp32,,,,1,1"]),
    }
    for head, (message, lines) in tables.items():
        table = bench.write("kernels.csv", "\n".join([head, *lines]) + "\n")
        code, _, err = bench.run(f"--fit={table}", program=PROGRAM)
        assert code == 1 and message in err, (code, message, err)
    table = bench.write("kernels.csv", "\n".join([HEAD, *good]) + "\n")
    wrong = {
        "--fit=nowhere.csv": "--fit: error: expected a table of measured kernels, found 'nowhere.csv'",
        "--gpu=Y": "--gpu: error: expected one of X, found 'Y'",
        "--accelerator=h101": "--accelerator: error: expected a100, ",
        "--output=nowhere/a.json": "--output: error: expected a file, found 'nowhere/a.json'",
    }
    for option, message in wrong.items():
        code, _, err = bench.run(f"--fit={table}", option, program=PROGRAM)
        assert code == 1 and message in err, (code, message, err)
