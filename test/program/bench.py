# SPDX-License-Identifier: GPL-2.0-only
"""What the cases of program-test.py and mpi-test.py share: workloads, and a directory to run in."""

import collections
import concurrent.futures
import csv
import importlib
import json
import multiprocessing
import os
import subprocess
import tempfile
import time
import unittest

HEADER = "\t".join(
    ["name"]
    + [
        phase + column
        for phase in ("forward", "backward", "weight_grad")
        for column in ("_compute_time", "_comm_type", "_comm_size")
    ]
    + ["process_time"]
)
# One layer of 1 ms, whose 250000 gradients of 4 bytes are all-reduced.
TABLE = HEADER + "\nlayer\t1.0\tNone\t0\t0\tALLREDUCE_ASYNC\t250000\t0\tNone\t0\t0\n"

# Two stages of two layers, two microbatches, tp 2 and dp 2. A layer computes 100 us forward and
# 100 + 50 us backward, and all-reduces 1 MB in each direction.
LAYERS = """\
HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 pp: 2 ga: 2 all_gpus: 8 pp_comm: 1000000
3
grad_param -1 0 NONE 0 0 NONE 0 10000 REDUCESCATTER 2000000 0
layer -1 100000 ALLREDUCE 1000000 100000 ALLREDUCE 1000000 50000 NONE 0 0
layer -1 100000 ALLREDUCE 1000000 100000 ALLREDUCE 1000000 50000 NONE 0 0
"""

WORKLOADS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/workloads")

FILES = [
    "collectives.csv",
    "fabric.dot",
    "fabric.json",
    "flows.csv",
    "links.csv",
    "ops.csv",
    "summary.json",
    "trace.json",
]

TWO_HOSTS = [
    "--ranks=2",
    "--topology=single-switch",
    "--gpusPerServer=1",
    "--nicRate=80Gbps",
    "--linkDelay=1us",
]

COLUMNS = "size_bytes,count,time_us,algbw_gbs,busbw_gbs,algorithm"

CASES = []


def case(function):
    """Note a function as a case; its docstring is its name."""
    CASES.append(function)
    return function


def run_cases(subjects, bench, word="", workers=os.cpu_count()):
    """Run the cases of some modules of this folder, or those of them whose name has a word in it.

    bench makes a Bench from a folder. So many workers run at once, each case in a process forked from
    this one: a case may change its directory and environment. Prints a line for each case, in their
    order, and `N passed, N failed` (and, if any raised SkipTest, `, N skipped`) as the last one.
    Returns the exit code: 0 if none failed.
    """
    modules = ["program." + subject for subject in subjects]
    for module in modules:
        importlib.import_module(module)
    # A module may have tools of another one, whose cases are then there, too.
    cases = [function for function in CASES if function.__module__ in modules]
    cases = [function for function in cases if word in function.__doc__]
    counts = collections.Counter()
    # Not multiprocessing's Pool, whose workers may have no children by multiprocessing themselves.
    with concurrent.futures.ProcessPoolExecutor(
        workers,
        multiprocessing.get_context("fork"),
        CaseRunner.remember,
        (cases, bench),
    ) as executor:
        for verdict, line in executor.map(CaseRunner.run, range(len(cases))):
            counts[verdict] += 1
            print(f"{verdict} {line}", flush=True)
    rest = f", {counts['SKIP']} skipped" if counts["SKIP"] else ""
    print(f"{counts['PASS']} passed, {counts['FAIL']} failed{rest}")
    return 1 if counts["FAIL"] else 0


class CaseRunner:
    """What a worker process knows: the cases, by number, as functions of closures cannot be sent."""

    #: Seconds from which on the line of a case says how long it took.
    LONG = 5

    @classmethod
    def remember(cls, cases, bench):
        """Begin a worker, which a fork has given the same memory."""
        cls.cases = cases
        cls.bench = staticmethod(bench)

    @classmethod
    def run(cls, number):
        """Run a case; returns PASS, SKIP or FAIL, and what its line says besides."""
        function = cls.cases[number]
        began = time.monotonic()
        verdict, reason = "PASS", ""
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(cls.bench(folder))
            except unittest.SkipTest as skipped:
                verdict, reason = "SKIP", f": {skipped}"
            except Exception as error:  # whatever a case trips over is its failure
                verdict, reason = "FAIL", f": {type(error).__name__}: {error}"
        took = time.monotonic() - began
        seconds = f" ({took:.0f} s)" if took >= cls.LONG else ""
        return verdict, function.__doc__ + reason + seconds


def check_seeds(check, count):
    """Call check with each seed; a fault is told with its seed."""
    for seed in range(count):
        try:
            check(seed)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error


def expect_width(text):
    """Lines have 100 columns, but for those with a long path, which cannot be broken."""
    for line in text.splitlines():
        assert len(line) <= 100 or max(map(len, line.split())) > 60, line


class Bench:
    """A directory to work in, and the programs."""

    def __init__(self, replay, collective, folder):
        self.program = replay
        self.collective = collective
        self.folder = folder
        self.table = self.write("table.tsv", TABLE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(self.path(name), mode) as file:
            file.write(content)
        return self.path(name)

    def run(self, *arguments, program=None):
        """Run wl-replay or another one; returns exit code, standard output and standard error."""
        done = subprocess.run(
            [program or self.program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def replay(self, *arguments):
        """Replay the table; the options that follow may be given by the case."""
        return self.run("--workload=" + self.table, *arguments)

    def time(self, *arguments):
        """Run wl-collective on two hosts at 10 GB/s and 1 us from a switch."""
        return self.run(*TWO_HOSTS, *arguments, program=self.collective)

    def expect_error(self, message, *arguments, program=None):
        """The program must exit with 1, say this one line and nothing else."""
        code, out, err = self.run(*arguments, program=program)
        assert code == 1, f"exit code {code}, not 1"
        assert out == "", f"standard output {out!r}"
        assert err == message + "\n", f"standard error {err!r}, not {message!r}"

    def summary(self, folder):
        with open(os.path.join(self.path(folder), "summary.json")) as file:
            return json.load(file)

    def rows(self, folder, name):
        """The rows of a CSV file, as dictionaries."""
        with open(os.path.join(self.path(folder), name), newline="") as file:
            return list(csv.DictReader(file, strict=True))

    def spans(self, folder):
        """The slices of trace.json, as (rank, stream, op, start, end) in ns."""
        with open(os.path.join(self.path(folder), "trace.json")) as file:
            events = json.load(file, parse_float=lambda text: int(text.replace(".", "")))
        names = {}
        spans = []
        for event in events["traceEvents"]:
            key = event["pid"], event["tid"]
            if event["ph"] == "M" and event["name"].endswith("_name"):
                names[key] = event["args"]["name"]
                rank = names[key].split(",")[0]
                assert event["tid"] > 0 or rank == f"rank {event['pid']}", event
            elif event["ph"] == "X":
                end = event["ts"] + event["dur"]
                spans.append((event["pid"], names[key], event["name"], event["ts"], end))
        return spans

    def check_whole(self, *arguments):
        """The replay must finish, and the parts of each rank add up; returns the summary."""
        more = ["--outputDir=" + self.path("whole"), "--traceRanks=all"]
        code, out, err = self.run(*arguments, *more)
        assert (code, err) == (0, ""), (code, err)
        expect_width(out)
        summary = self.summary("whole")
        assert summary["complete"] is True
        total = sum(iteration["time_ns"] for iteration in summary["iterations"])
        assert total > 0
        assert len(summary["ranks"]) == summary["workload"]["world"]
        for rank in summary["ranks"]:
            parts = [rank["compute_ns"], rank["bubble_ns"], rank["idle_ns"]]
            parts += rank["exposed_ns"].values()
            assert min(parts) >= 0 and sum(parts) == total, (total, rank)
            assert rank["end_ns"] == total - rank["idle_ns"], rank
        return summary

    def check_shipped(self, name, layout, *arguments):
        """A shipped file must be whole on the ideal transport and have this layout."""
        file = os.path.join(WORKLOADS, name)
        # Large jobs write large files, up to 1.5 GB here: all but the summary are thrown away.
        os.makedirs(self.path("whole"), exist_ok=True)
        for output in FILES:
            if output != "summary.json":
                os.symlink(os.devnull, os.path.join(self.path("whole"), f".{output}.new"))
        summary = self.check_whole("--workload=" + file, "--transport=ideal", *arguments)
        keys = ("world", "tp", "cp", "ep", "dp", "pp", "microbatches")
        found = tuple(summary["workload"][key] for key in keys)
        assert found == layout, f"{found}, not {layout}"
        return summary
