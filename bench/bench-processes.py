#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Times replays in several processes: wall clock, CPU, windows and speed-up, by number of processes
and by look-ahead, and says what they come to with more processes.

usage: bench-processes.py WL_REPLAY [--processes=1,2] [--linkDelay=500ns,2us] [--rounds=3]
                          [--case=NAME]

WL_REPLAY is an optimized build with MPI, whose mpirun is found on the path. Each round runs all of
a case once, one after the other, so that what else the machine does falls on all alike; the table
has the least wall clock time of each. There should be as many idle cores as processes.

The model, of P processes: wall = E t b / P + M m / P + W c. E events take t each, as in one process,
and the busiest process has b times its share of them; M messages take m each, with the packets in
them, at both ends; W windows take c each, in which all hear from each other. m and c are fitted to
the runs of several processes, which takes two link delays at least: they have about as many
messages and quite different windows. With more processes E and W stay, M grows as the share of
packets whose ends lie in two processes, 1 - 1 / P, and c by --network=US for each doubling (an
MPI_Allgather over a network; 0 = all share memory).
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

HEADER = "\t".join(
    f"{part}_{what}" if part else what
    for part, whats in (
        ("", ["name"]),
        ("forward", ["compute_time", "comm_type", "comm_size"]),
        ("backward", ["compute_time", "comm_type", "comm_size"]),
        ("weight_grad", ["compute_time", "comm_type", "comm_size"]),
        ("", ["process_time"]),
    )
    for what in whats
)
# What utils/mpi.sh says to Open MPI, too; others ask for nothing.
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
}
WORKLOADS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "workloads")


def cases(folder):
    """The arguments of each case by its name."""
    table = os.path.join(folder, "all-to-all.tsv")
    with open(table, "w") as file:
        # 32 MiB of 4-byte elements from each rank to all
        file.write(HEADER + "\nx\t0.001\tALLTOALL\t8388608\t0\tNone\t0\t0\tNone\t0\t0\n")
    return {
        "all-to-all-256": [
            "--workload=" + table,
            "--world=256",
            "--topology=clos",
            "--gpusPerServer=1",
        ],
        "layers-512": [
            "--workload=" + os.path.join(WORKLOADS, "layers-512gpu-tp8-pp4.simai.txt")
        ],
        "moe-16": [
            "--workload=" + os.path.join(WORKLOADS, "moe-pp4-ep2-dp4-rank0.megatron.txt"),
            "--world=16",
            "--tp=1",
            "--pp=4",
            "--ep=2",
            "--topology=clos",
            "--gpusPerServer=1",
        ],
    }


def run(program, processes, arguments):
    """The object `run` of summary.json."""
    command = [program, *arguments]
    if processes > 1:
        command = ["mpirun", "-np", str(processes), *command]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*command, "--outputDir=" + folder],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, **MPI_ENVIRONMENT},
            text=True,
        )
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
        with open(os.path.join(folder, "summary.json")) as file:
            summary = json.load(file)
    result = summary["run"]
    result["replayed_ns"] = sum(i["time_ns"] for i in summary["iterations"])
    return result


def measure(options, arguments):
    """The best run by link delay and number of processes."""
    best = {}
    for _ in range(options.rounds):
        for delay in options.linkDelay:
            for processes in options.processes:
                result = run(options.program, processes, [*arguments, "--linkDelay=" + delay])
                key = (delay, processes)
                if key not in best or result["wall_s"] < best[key]["wall_s"]:
                    best[key] = result
    return best


def print_table(best):
    print(
        f"{'delay':>8} {'proc':>4} {'look-ahead':>10} {'wall, s':>8} {'CPU, s':>8} {'speed-up':>8}"
        f" {'events':>11} {'busiest':>8} {'windows':>9} {'ev/window':>9} {'messages':>9}"
        f" {'MiB':>6}"
    )
    for (delay, processes), result in best.items():
        parts = result.get("processes", [])
        windows = max((part["windows"] for part in parts), default=0)
        events = [part["events"] for part in parts] or [result["events"]]
        alone = best.get((delay, 1))
        print(
            f"{delay:>8} {processes:>4}"
            f" {min((p['look_ahead_ns'] for p in parts), default=0):>7} ns"
            f" {result['wall_s']:>8.2f} {result['cpu_s']:>8.2f}"
            f" {alone['wall_s'] / result['wall_s'] if alone else 0:>8.2f}"
            f" {result['events']:>11} {100 * max(events) / sum(events):>6.1f} %"
            f" {windows:>9} {sum(events) / windows if windows else 0:>9.0f}"
            f" {sum(part['messages'] for part in parts):>9}"
            f" {result['peak_rss_bytes'] / 2**20:>6.0f}"
        )


def fit(best):
    """Seconds per message and per window, by least squares over the runs of several processes."""
    rows = []
    for (delay, processes), result in best.items():
        alone = best.get((delay, 1))
        if processes == 1 or not alone:
            continue
        parts = result["processes"]
        share = max(part["events"] for part in parts) / sum(part["events"] for part in parts)
        rows.append(
            (
                sum(part["messages"] for part in parts) / processes,
                max(part["windows"] for part in parts),
                result["wall_s"] - alone["cpu_s"] * share,
            )
        )
    mm, mw, ww, mr, wr = (
        sum(a * b for a, b in pairs)
        for pairs in (
            [(m, m) for m, _, _ in rows],
            [(m, w) for m, w, _ in rows],
            [(w, w) for _, w, _ in rows],
            [(m, r) for m, _, r in rows],
            [(w, r) for _, w, r in rows],
        )
    )
    determinant = mm * ww - mw * mw
    if len(rows) < 2 or determinant <= 0:
        return None
    per_message = (mr * ww - wr * mw) / determinant
    per_window = (wr * mm - mr * mw) / determinant
    if per_message < 0:
        return 0, wr / ww
    if per_window < 0:
        return mr / mm, 0
    return per_message, per_window


def print_model(best, delay, most, fitted, network):
    """What more processes come to, see above."""
    alone, together = best[delay, 1], best[delay, most]
    parts = together["processes"]
    windows = max(part["windows"] for part in parts)
    messages = sum(part["messages"] for part in parts) / (1 - 1 / most)
    balance = most * max(part["events"] for part in parts) / together["events"]
    per_message, per_window = fitted
    print(
        f"{delay}: {windows} windows in {together['replayed_ns'] / 1e6:.1f} ms replayed,"
        f" {1e6 * per_window:.2f} us each; an event {1e9 * alone['cpu_s'] / alone['events']:.0f} ns,"
        f" a message {1e6 * per_message:.2f} us"
    )
    for processes in (most, 4, 16, 128):
        more = network * 1e-6 * max(0, math.log2(processes / most))
        work = alone["cpu_s"] * balance + messages * (1 - 1 / processes) * per_message
        wall = work / processes + windows * (per_window + more)
        print(f"  {processes:>4} processes: {wall:8.2f} s, speed-up {alone['wall_s'] / wall:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    words = lambda text: text.split(",")
    numbers = lambda text: [int(word) for word in text.split(",")]
    parser.add_argument("program", metavar="WL_REPLAY")
    parser.add_argument("--processes", type=numbers, default=[1, 2])
    parser.add_argument("--linkDelay", type=words, default=["500ns", "2us"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--case", type=words, default=["all-to-all-256", "layers-512"])
    parser.add_argument("--network", type=float, default=0, metavar="US")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        known = cases(folder)
        for name in options.case:
            if name not in known:
                sys.exit(f"--case: expected one of {', '.join(known)}, found {name}")
            print(f"{name}: {' '.join(os.path.basename(a) for a in known[name])}")
            best = measure(options, known[name])
            print_table(best)
            most = max(options.processes)
            fitted = fit(best)
            for delay in options.linkDelay if fitted else []:
                print_model(best, delay, most, fitted, options.network)
            print(flush=True)


if __name__ == "__main__":
    main()
