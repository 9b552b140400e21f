# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: trace.json, read as the Trace Event Format says."""

import json
import os

from program.bench import LAYERS, case

NETWORK = ["--gpusPerServer=2", "--transport=ideal"]

# Eight layers on four stages, eight microbatches.
DEEP = """\
HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 1 pp: 4 ga: 8 all_gpus: 8 pp_comm: 1000000
8
""" + "layer -1 100000 NONE 0 100000 NONE 0 50000 NONE 0 0\n" * 8


def nanoseconds(text):
    """A time as the file has it, us with three decimals, in whole ns."""
    whole, _, fraction = text.partition(".")
    assert len(fraction) == 3, text
    return int(whole + fraction)


class Trace:
    """What trace.json holds; everything about it that can be wrong has been looked at."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            data = json.load(file, parse_float=nanoseconds)
        assert set(data) == {"displayTimeUnit", "traceEvents"}, set(data)
        self.processes = {}
        self.order = {}
        self.threads = {}
        self.slices = {}
        self.arrows = {}
        for event in data["traceEvents"]:
            getattr(self, "read_" + event["ph"])(event)
        self.check_slices()
        self.check_arrows()

    def read_M(self, event):
        """Names and places of processes and threads, each told once."""
        (told,) = event["args"].values()
        if event["name"] == "thread_name":
            key, names = (event["pid"], event["tid"]), self.threads
        else:
            names = {"process_name": self.processes, "process_sort_index": self.order}
            key, names = event["pid"], names[event["name"]]
        assert key not in names, event
        names[key] = told

    def read_X(self, event):
        assert isinstance(event["ts"], int) and isinstance(event["dur"], int), event
        assert event["ts"] >= 0 and event["dur"] >= 0, event
        slices = self.slices.setdefault((event["pid"], event["tid"]), [])
        slices.append((event["ts"], event["ts"] + event["dur"], event["name"]))

    def read_s(self, event):
        assert event["id"] not in self.arrows, event
        self.arrows[event["id"]] = [event]

    def read_f(self, event):
        assert event["bp"] == "e", event  # otherwise it would end at the next slice
        self.arrows[event["id"]].append(event)

    def check_slices(self):
        """Processes and threads have names; slices of a thread come one after another."""
        assert set(self.processes) == set(self.order) == {rank for rank, _ in self.threads}
        for key, slices in self.slices.items():
            assert key in self.threads, key
            slices.sort()
            for (_, end, _), (start, _, _) in zip(slices, slices[1:]):
                assert end <= start, (key, end, start)

    def check_arrows(self):
        """Both ends of an arrow lie in slices, and it goes forward in time."""
        for start, end in self.arrows.values():
            assert (start["cat"], start["name"]) == (end["cat"], end["name"]), (start, end)
            assert start["pid"] != end["pid"] and start["ts"] <= end["ts"], (start, end)
            for event in (start, end):
                slices = self.slices[event["pid"], event["tid"]]
                assert any(a <= event["ts"] <= b for a, b, _ in slices), event

    def rows(self):
        """The slices as (rank, stream, op, start, end), sorted."""
        return sorted(
            (str(rank), self.threads[rank, thread], name, str(start), str(end))
            for (rank, thread), slices in self.slices.items()
            for start, end, name in slices
        )


def replay(bench, text, *arguments):
    """Replay a layer file; returns trace.json and the rows of ops.csv, as Trace.rows() has them."""
    workload = "--workload=" + bench.write("layers.txt", text)
    folder = bench.path("out")
    code, _, err = bench.run(workload, *NETWORK, *arguments, "--outputDir=" + folder)
    assert (code, err) == (0, ""), (code, err)
    columns = ("rank", "stream", "op", "start_ns", "end_ns")
    rows = [tuple(row[name] for name in columns) for row in bench.rows("out", "ops.csv")]
    return Trace(os.path.join(folder, "trace.json")), sorted(rows)


def of_ranks(rows, ranks):
    return [row for row in rows if int(row[0]) in ranks]


@case
def trace_is_valid(bench):
    """trace.json: named, in order, arrows within slices, and equal to ops.csv, on each transport"""
    for transport in ("ideal", "rdma", "tcp"):
        options = ["--transport=" + transport, "--iterations=2"]
        trace, rows = replay(bench, LAYERS, *options)
        # One rank of each of two stages of four.
        assert trace.processes == {0: "rank 0, stage 0", 4: "rank 4, stage 1"}, trace.processes
        assert trace.order == {0: 0, 4: 4}, trace.order
        assert trace.rows() == of_ranks(rows, {0, 4})
        # Two microbatches, forward and backward, twice.
        assert len(trace.arrows) == 8, trace.arrows
        trace, rows = replay(bench, LAYERS, *options, "--traceRanks=all")
        assert trace.rows() == rows and set(trace.processes) == set(range(8))
        assert len(trace.arrows) == 4 * 8, trace.arrows


@case
def trace_arrows_of_schedules(bench):
    """trace.json: an arrow for each message of the pipeline, whatever the schedule"""
    # Microbatches go over 3 boundaries between stages, there and back; with two model chunks on a
    # stage over 7, but for the one that both chunks of the last stage share where they are folded.
    for schedule, boundaries in (
        ("1f1b", 3),
        ("gpipe", 3),
        ("zb-h1", 3),
        ("interleaved", 7),
        ("zb-v", 6),
        ("dualpipe", 3),
    ):
        chunks = ["--vpp=2"] if schedule == "interleaved" else []
        trace, rows = replay(bench, DEEP, "--schedule=" + schedule, *chunks)
        assert set(trace.processes) == {0, 2, 4, 6}, (schedule, trace.processes)
        assert trace.rows() == of_ranks(rows, {0, 2, 4, 6}), schedule
        assert len(trace.arrows) == 8 * 2 * boundaries, (schedule, len(trace.arrows))
        # The n-th send of a pair and direction is that of the n-th message.
        starts = {}
        for start, end in trace.arrows.values():
            key = start["pid"], start["tid"], end["pid"], end["tid"]
            starts.setdefault(key, []).append((start["ts"], end["ts"]))
        for key, times in starts.items():
            by_end = sorted(times, key=lambda pair: pair[1])
            assert sorted(times) == by_end, (schedule, key)


@case
def trace_of_some(bench):
    """trace.json: of some ranks, some stages, and some time"""
    for options, ranks, arrows in (
        (["--traceRanks=all", "--traceStages=1"], {4, 5, 6, 7}, 0),
        (["--traceStages=0"], {0}, 0),
        (["--traceRanks=1,4-6"], {1, 4, 5, 6}, 4),
        (["--traceRanks=0-7", "--traceStages=0-1"], set(range(8)), 16),
    ):
        trace, rows = replay(bench, LAYERS, *options)
        assert trace.rows() == of_ranks(rows, ranks), options
        assert set(trace.processes) == ranks, options
        assert len(trace.arrows) == arrows, (options, len(trace.arrows))
    # Four passes of 200 us or more on each of two stages.
    for begin, end in ((0, 100), (500, 700), (0, 1000000)):
        window = f"--traceTime={begin}us:{end}us"
        trace, rows = replay(bench, LAYERS, "--traceRanks=all", window)
        inside = [
            row for row in rows if int(row[3]) <= 1000 * end and int(row[4]) >= 1000 * begin
        ]
        assert 0 < len(inside) <= len(rows), window
        assert trace.rows() == inside, window
        assert (len(inside) < len(rows)) == (end < 1000000), window
    code, _, err = bench.run(
        "--workload=" + bench.path("layers.txt"),
        *NETWORK,
        "--files=trace.json",
        "--traceRanks=1,4-6",
        "--outputDir=" + bench.path("alone"),
    )
    assert (code, err) == (0, ""), (code, err)
    alone = Trace(os.path.join(bench.path("alone"), "trace.json"))
    assert len(alone.arrows) == 4 and set(alone.processes) == {1, 4, 5, 6}, alone.processes


@case
def trace_of_jobs(bench):
    """trace.json: of several jobs, the ranks of each, job by job"""
    file = bench.write("layers.txt", LAYERS)
    jobs = [f"--job={file}:name=a,placement=8-15", f"--job={file}:name=b,placement=0-7"]
    folder = "--outputDir=" + bench.path("jobs")
    for options, ranks in (([], [8, 12, 0, 4]), (["--traceRanks=1"], [9, 1])):
        code, _, err = bench.run(*jobs, *NETWORK, folder, *options)
        assert (code, err) == (0, ""), (code, err)
        trace = Trace(os.path.join(bench.path("jobs"), "trace.json"))
        assert sorted(trace.order, key=trace.order.get) == ranks, trace.order
    assert trace.processes == {9: "rank 1 of a, stage 0", 1: "rank 1 of b, stage 0"}
    rows = [row for row in bench.rows("jobs", "ops.csv") if row["rank"] == "1"]
    assert len(rows) == sum(map(len, trace.slices.values())), len(rows)


@case
def trace_errors(bench):
    """trace.json: ranks and stages that are not there, and nothing half-written"""
    workload = "--workload=" + bench.write("layers.txt", LAYERS)
    folder = bench.path("never")
    for options, message in (
        (["--traceRanks=0,8"], "--traceRanks: error: expected ranks from 0 to 7, found 8"),
        (
            ["--traceStages=2"],
            "--traceStages: error: expected pipeline stages from 0 to 1, found 2",
        ),
        (
            ["--traceRanks=0-3", "--traceStages=1"],
            "--traceStages: error: expected stages of the ranks in traceRanks, found others",
        ),
    ):
        bench.expect_error(message, workload, *NETWORK, *options, "--outputDir=" + folder)
    bench.expect_error(
        "--traceStages: error: expected no pipeline stage but 0, found 1",
        "--workload=" + bench.table,
        "--traceStages=1",
        "--outputDir=" + folder,
    )
    assert not os.path.exists(folder)
