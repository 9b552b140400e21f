#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of wl-replay and wl-collective as their users meet them: exit codes, messages, files.

usage: program-test.py WL_REPLAY WL_COLLECTIVE

Prints a line for each case, and `N passed, N failed` as the last one. Exits 0 if none failed.
"""

import csv
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom

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

WORKLOADS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../examples/workloads")

FILES = ["collectives.csv", "flows.csv", "links.csv", "ops.csv", "summary.json", "trace.json"]

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
        """The complete events of trace.json, as (rank, stream, op, start, end) in ns."""
        with open(os.path.join(self.path(folder), "trace.json")) as file:
            events = json.load(file, parse_float=lambda text: int(text.replace(".", "")))
        names = {}
        spans = []
        for event in events["traceEvents"]:
            key = event["pid"], event["tid"]
            if event["ph"] == "M":
                names[key] = event["args"]["name"]
                assert event["tid"] > 0 or names[key] == f"rank {event['pid']}", event
            else:
                assert event["ph"] == "X", event
                end = event["ts"] + event["dur"]
                spans.append((event["pid"], names[key], event["name"], event["ts"], end))
        return spans

    def check_whole(self, *arguments):
        """The replay must finish, and the parts of each rank add up; returns the summary."""
        code, out, err = self.run(*arguments, "--outputDir=" + self.path("whole"))
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


@case
def help_lists_options(bench):
    """--help lists options and exits with 0"""
    code, out, err = bench.run("--help")
    assert (code, err) == (0, "")
    for option in ("workload", "world", "topology", "transport", "channels", "outputDir", "config"):
        assert f"  --{option}=" in out, option
    assert max(map(len, out.splitlines())) <= 100


@case
def no_workload(bench):
    """no workload"""
    bench.expect_error(
        "--workload: error: expected a file or directory to replay, such as "
        "--workload=examples/workloads/gpt2-large-ops.tsv, found none"
    )


@case
def unknown_option(bench):
    """unknown option"""
    bench.expect_error(
        "--wrold: error: expected an option (--help lists all), found '--wrold'; "
        "did you mean --world?",
        "--wrold=8",
    )


@case
def positional_argument(bench):
    """file without --workload"""
    bench.expect_error(
        "command line: error: expected --NAME=VALUE, found 'table.tsv'; "
        "did you mean --workload=table.tsv?",
        "table.tsv",
    )


@case
def blank_instead_of_equals(bench):
    """blank between option and value"""
    bench.expect_error(
        "--workload: error: expected --workload=FILE, found no value; "
        "did you mean --workload=table.tsv?",
        "--workload",
        "table.tsv",
    )


@case
def unusable_workloads(bench):
    """directory, binary file, empty file, missing file as workload"""
    unusable = [
        bench.folder,
        bench.write("binary", bytes(range(256))),
        bench.write("empty", ""),
        bench.path("missing"),
    ]
    for file in unusable:
        code, out, err = bench.run("--workload=" + file, "--outputDir=" + bench.path("never"))
        assert (code, out) == (1, ""), (file, code, out)
        assert err.startswith(file) and ": error: expected " in err, err
        assert err.count("\n") == 1, err
    assert not os.path.exists(bench.path("never"))


@case
def wrong_cell(bench):
    """wrong cell of the table, with line and column"""
    file = bench.write("wrong.tsv", TABLE.replace("1.0", "fast"))
    code, out, err = bench.run("--workload=" + file)
    assert (code, out) == (1, ""), (code, out)
    assert err.startswith(file + ":2:7: error: expected "), err
    assert err.count("\n") == 1, err


@case
def topology_too_small(bench):
    """topology too small for the world, nothing half-written"""
    code, out, err = bench.replay(
        "--topology=clos:leaves=1,hostsPerLeaf=8", "--world=16", "--outputDir=" + bench.path("none")
    )
    assert (code, out) == (1, ""), (code, out)
    assert err.startswith("--topology: error: expected ") and "16" in err, err
    assert err.count("\n") == 1, err
    assert not os.path.exists(bench.path("none"))


@case
def output_directory_not_writable(bench):
    """output directory that cannot be made"""
    below = os.path.join(bench.table, "out")
    bench.expect_error(
        f"--outputDir: error: expected a directory to write to, found '{below}' (Not a directory)",
        "--workload=" + bench.table,
        "--outputDir=" + below,
    )


@case
def contradictions(bench):
    """options that contradict each other"""
    workload = "--workload=" + bench.table
    bench.expect_error(
        "--dp: error: expected 8, the world, because an op table is data parallel only, found 4",
        workload,
        "--world=8",
        "--dp=4",
    )
    bench.expect_error(
        "--cc: error: expected no cc with the transport ideal, which has no packets, found one",
        workload,
        "--transport=ideal",
        "--cc=TcpCubic",
    )


@case
def options_without_use(bench):
    """options that the workload has no use for, stragglers that are no rank"""
    workload = "--workload=" + bench.table
    bench.expect_error(
        "--schedule: error: expected no schedule with an op table (op-table), which has no use for "
        "it, found one",
        workload,
        "--schedule=gpipe",
    )
    layers = "--workload=" + bench.write("layers.txt", LAYERS)
    bench.expect_error(
        "--backwardScale: error: expected no backwardScale with a layer file (simai), which has no "
        "use for it, found one",
        layers,
        "--backwardScale=2",
    )
    bench.expect_error(
        "--straggler: error: expected a rank from 0 to 7, found 8",
        layers,
        "--straggler=1:2",
        "--straggler=8:2",
    )
    config = bench.write("slow.json", json.dumps({"straggler": ["1:2", "8:2"]}))
    bench.expect_error(
        f"{config}:/straggler/1: error: expected a rank from 0 to 7, found 8",
        layers,
        "--config=" + config,
    )


@case
def unknown_format(bench):
    """file of no known format: its first line, and the formats there are"""
    file = bench.write("notes.txt", "to do: write a workload\n")
    code, out, err = bench.run("--workload=" + file)
    assert (code, out) == (1, ""), (code, out)
    assert err.startswith(file + ":1: error: expected "), err
    for text in ("simai", "megatron", "op-table", "--format", "'to do: write a workload'"):
        assert text in err, err


@case
def config_faults(bench):
    """faults of a configuration file, with line and column or pointer"""
    file = bench.write("syntax.json", '{\n  "world": 8,\n  "dp" 8\n}\n')
    bench.expect_error(
        f"{file}:3:8: error: expected JSON, found '8', which does not fit", "--config=" + file
    )
    file = bench.write("key.json", '{"wrold": 8}')
    bench.expect_error(
        f"{file}:/wrold: error: expected an option (--help lists all), found 'wrold'; "
        "did you mean world?",
        "--config=" + file,
    )


@case
def config_is_used(bench):
    """configuration file, over which the command line wins"""
    config = {"workload": bench.table, "world": 4, "transport": "ideal", "gpusPerServer": 1e0}
    file = bench.write("good.json", json.dumps(config))
    out = bench.path("configured")
    code, _, err = bench.run("--config=" + file, "--world=2", "--outputDir=" + out)
    assert (code, err) == (0, ""), (code, err)
    assert bench.summary("configured")["workload"]["world"] == 2
    assert bench.summary("configured")["fabric"]["transport"] == "ideal"


@case
def ideal_result(bench):
    """ideal transport gives the closed form, and accounts that add up"""
    code, out, err = bench.replay(
        "--transport=ideal",
        "--world=4",
        "--gpusPerServer=1",
        "--nicRate=80Gbps",
        "--linkDelay=0ns",
        "--iterations=3",
        "--outputDir=" + bench.path("ideal"),
    )
    assert (code, err) == (0, ""), (code, err)
    summary = bench.summary("ideal")
    # 1 ms forward, then 2 (N - 1) / N of 1 MB at 10 GB/s.
    assert summary["iterations"] == [{"time_ns": 1150000}] * 3, summary["iterations"]
    assert summary["complete"] is True
    for rank in summary["ranks"]:
        parts = [rank["compute_ns"], rank["bubble_ns"], rank["idle_ns"]]
        assert sum(parts) + sum(rank["exposed_ns"].values()) == 3 * 1150000, rank
        assert rank["exposed_ns"]["dp"] == 3 * 150000, rank
    (collective,) = summary["collectives"]
    assert collective["count"] == 3 and collective["bytes"] == 1000000, collective
    assert collective["busbw_bytes_per_s"] == 10000000000, collective
    assert "iteration time  1.150 ms" in out, out


@case
def files_agree(bench):
    """files agree with each other and with summary.json, on ideal and tcp"""
    file = bench.write("lay,ers.txt", LAYERS)  # a name that needs quotes
    for transport in ("ideal", "tcp"):
        summary = bench.check_whole(
            "--workload=" + file,
            "--transport=" + transport,
            "--gpusPerServer=2",
            "--iterations=2",
        )
        assert sorted(os.listdir(bench.path("whole"))) == FILES
        total = sum(iteration["time_ns"] for iteration in summary["iterations"])

        ops = bench.rows("whole", "ops.csv")
        assert max(int(row["end_ns"]) for row in ops) == total
        assert all(row["origin"].startswith(file) for row in ops), ops[0]
        columns = ("rank", "stream", "op", "start_ns", "end_ns")
        spans = [tuple(row[column] for column in columns) for row in ops]
        assert spans == [tuple(map(str, span)) for span in bench.spans("whole")]
        for rank in summary["ranks"]:
            compute = [row for row in ops if row["rank"] == str(rank["rank"])]
            compute = [row for row in compute if row["stream"] == "compute"]
            taken = sum(int(row["end_ns"]) - int(row["start_ns"]) for row in compute)
            assert taken == rank["compute_ns"], (taken, rank)

        collectives = bench.rows("whole", "collectives.csv")
        counts = {}
        for row in collectives:
            key = tuple(row[column] for column in ("dimension", "kind", "algorithm", "bytes"))
            counts[key] = counts.get(key, 0) + 1
            times = [row[column + "_ns"] for column in ("first_arrival", "last_arrival", "end")]
            assert sorted(map(int, times)) == list(map(int, times)), row
        keys = {(row["communicator"], row["sequence"]) for row in collectives}
        assert len(keys) == len(collectives), "a collective has two rows"
        expected = {}
        for entry in summary["collectives"]:
            key = (entry["dimension"], entry["kind"], entry["algorithm"], str(entry["bytes"]))
            expected[key] = entry["count"]
        assert counts == expected, counts

        network = summary["network"]
        flows = bench.rows("whole", "flows.csv")
        assert len(flows) == network["messages"] > 0
        assert sum(int(row["bytes"]) for row in flows) == network["bytes_delivered"]
        for row in flows:
            # Each of the three times is rounded.
            taken = int(row["end_ns"]) - int(row["start_ns"])
            assert taken >= int(row["ideal_ns"]) - 2, row

        links = bench.rows("whole", "links.csv")
        assert len(links) == (2 * summary["fabric"]["links"] if transport == "tcp" else 0)
        assert all(0 <= float(row["utilisation"]) <= 1 for row in links), links
        if links:
            sent = sum(int(row["bytes"]) for row in links)
            assert sent > 2 * network["bytes_delivered"], sent  # each byte takes two links or more


@case
def file_not_writable(bench):
    """file that cannot be written: told once, exit code 2, the others are there"""
    if not os.path.exists("/dev/full"):
        return
    folder = bench.path("full")
    os.mkdir(folder)
    os.symlink("/dev/full", os.path.join(folder, ".ops.csv.new"))
    code, out, err = bench.replay("--transport=ideal", "--outputDir=" + folder)
    assert code == 2 and "iteration time" in out, (code, out)
    assert err == f"{folder}/ops.csv: error: could not be written (the disk is full or gone)\n", err
    assert sorted(os.listdir(folder)) == [name for name in FILES if name != "ops.csv"]


@case
def shipped_files(bench):
    """shipped files on the ideal transport at their own size: whole, accounts that add up"""
    layers = bench.check_shipped("layers-512gpu-tp8-pp4.simai.txt", (512, 8, 1, 1, 16, 4, 1))
    assert layers["fabric"]["topology"] == "auto (rail)", layers["fabric"]
    assert layers["workload"]["schedule"] == "1f1b", layers["workload"]
    assert any("vpp" in text or "interleaved" in text for text in layers["assumptions"])
    layers = bench.check_shipped("layers-1024gpu-tp8-pp16.simai.txt", (1024, 8, 1, 1, 8, 16, 16))
    assert any("pp_comm" in text for text in layers["assumptions"]), layers["assumptions"]
    bench.check_shipped("gpt2-large-ops.tsv", (8, 1, 1, 1, 8, 1, 1))
    trace = bench.check_shipped(
        "moe-pp4-ep2-dp4-rank0.megatron.txt",
        (16, 1, 1, 2, 4, 4, 16),
        "--tp=1",
        "--pp=4",
        "--ep=2",
        "--dp=4",
    )
    assert trace["fabric"]["topology"] == "auto (rail)", trace["fabric"]
    # 16 stages stand for the 64 that were profiled, and 2 replicas for 32.
    bench.check_shipped(
        "gpt-tp4-pp64-dp32-single-gpu-rank0.megatron.txt",
        (128, 4, 1, 1, 2, 16, 16),
        "--tp=4",
        "--pp=16",
        "--dp=2",
        "--microbatches=16",
    )


@case
def layer_file_on_tcp(bench):
    """small layer file over tcp, near its closed form and never below it"""
    file = "--workload=" + bench.write("layers.txt", LAYERS)
    # All-reduces run on NVLink, messages and the reduce-scatter between servers: 1 MB takes 100 us.
    options = ["--gpusPerServer=2", "--nicRate=80Gbps", "--nvlinkRate=80Gbps"]
    options += ["--linkDelay=0ns", "--nvlinkDelay=0ns"]
    ideal = bench.check_whole(file, "--transport=ideal", *options)
    forward, backward, message = 400000, 500000, 100000
    # The pipeline fills (forward, message), the last stage works (two forwards and backwards), and
    # it drains (message, backward). The last message shares its NIC with the reduce-scatter of the
    # last stage, so it takes twice as long. At last the first stage reduces (100 us) and updates
    # (10 us).
    least = forward + message + 2 * (forward + backward) + 2 * message + backward + 110000
    assert ideal["iterations"][0]["time_ns"] == least, (ideal["iterations"], least)
    tcp = bench.check_whole(file, *options)
    taken = tcp["iterations"][0]["time_ns"]
    assert least < taken < 1.5 * least, (taken, least)
    assert tcp["network"]["dropped_packets"] == 0, tcp["network"]
    assert tcp["network"]["bytes_delivered"] == ideal["network"]["bytes_delivered"]
    for rank in tcp["ranks"]:
        assert rank["bubble_ns"] > 0 and rank["exposed_ns"]["tp"] > 0, rank


@case
def compute_variations(bench):
    """computeScale, straggler and jitter change compute times, whatever the network"""
    options = ["--world=2", "--gpusPerServer=1", "--transport=ideal", "--linkDelay=0ns"]
    for scale in ("--computeScale=2", "--ns3::ReplayApplication::ComputeScale=2"):
        summary = bench.check_whole(
            "--workload=" + bench.table, *options, scale, "--straggler=1:1.5"
        )
        assert [rank["compute_ns"] for rank in summary["ranks"]] == [2000000, 3000000], scale
        # 1 MB takes 20 us at 50 GB/s; the straggler keeps rank 0 waiting for 1 ms besides.
        exposed = [rank["exposed_ns"]["dp"] for rank in summary["ranks"]]
        assert exposed == [1020000, 20000], exposed
        assert any("rank 1 computes 1.5" in text for text in summary["assumptions"])

    jitter = ("--world=2", "--gpusPerServer=1", "--jitter=0.1")
    drawn = []
    for more in (["--transport=ideal"], ["--transport=tcp"], ["--transport=ideal", "--run=2"]):
        summary = bench.check_whole("--workload=" + bench.table, *jitter, *more)
        drawn.append([rank["compute_ns"] for rank in summary["ranks"]])
    assert drawn[0] == drawn[1] != drawn[2], drawn
    assert len(set(drawn[0] + drawn[2])) == 4, drawn


@case
def tcp_result(bench):
    """tcp transport is near the closed form and counts packets"""
    code, out, err = bench.replay(
        "--world=2", "--gpusPerServer=1", "--outputDir=" + bench.path("tcp")
    )
    assert (code, err) == (0, ""), (code, err)
    summary = bench.summary("tcp")
    # 1 ms, then 1 MB at 400 Gb/s: 20 us, and as much again for slow start.
    assert 1020000 < summary["iterations"][0]["time_ns"] < 1100000, summary["iterations"]
    assert summary["network"]["bytes_delivered"] == 2 * 1000000, summary["network"]
    assert summary["network"]["packet_hops"] >= 2 * summary["network"]["packets"] > 0
    assert "busiest links" in out and "dp all-reduce" in out, out
    expect_width(out)


@case
def gpt2_on_tcp(bench):
    """GPT2-Large on 4 and 8 workers takes what a ring at 100 Gb/s of goodput takes, over rdma and tcp"""
    table = os.path.join(WORKLOADS, "gpt2-large-ops.tsv")
    # 4096 bytes of payload take 4178 on a wire, and 8960 of tcp 9002.
    rates = {"rdma": 102001953125, "tcp": 100468750000}
    for transport, workers, closed_form_ms in (
        ("rdma", 4, 228.52),
        ("rdma", 8, 235.35),
        ("tcp", 4, 228.52),
        ("tcp", 8, 235.35),
    ):
        code, _, err = bench.run(
            "--workload=" + table,
            f"--world={workers}",
            "--gpusPerServer=1",
            "--topology=single-switch",
            "--transport=" + transport,
            f"--nicRate={rates[transport]}bps",
            "--linkDelay=1us",
            "--outputDir=" + bench.path("gpt2"),
        )
        assert (code, err) == (0, ""), (code, err)
        summary = bench.summary("gpt2")
        # 9 rings of 2 (N - 1) steps, each over two links of 1 us.
        least = closed_form_ms + 9 * 2 * (workers - 1) * 2e-3
        taken = summary["iterations"][0]["time_ns"] / 1e6
        # The closed form has two decimals; beyond it there are acknowledgements, and a frame's time
        # in each step: 1 % of the time that communication takes.
        assert least - 0.005 < taken < least + 0.01 * (least - 187.54), (workers, taken)
        wire = workers * 2 * (workers - 1) / workers * 341479748
        assert abs(summary["network"]["bytes_delivered"] - wire) <= workers, (workers, wire)
        assert summary["network"]["dropped_packets"] == 0


@case
def runs_are_equal(bench):
    """two equal runs differ only in the object run of summary.json"""
    texts = []
    for name in ("first", "second"):
        code, _, err = bench.replay("--world=4", "--outputDir=" + bench.path(name))
        assert (code, err) == (0, ""), (code, err)
        summary = bench.summary(name)
        del summary["run"]
        texts.append([json.dumps(summary)])
        for file in FILES:
            if file != "summary.json":
                with open(os.path.join(bench.path(name), file), "rb") as stream:
                    texts[-1].append(stream.read())
    assert texts[0] == texts[1]


@case
def unfinished_replay(bench):
    """replay that cannot finish: exit code 2, the waits, files marked incomplete"""
    code, out, err = bench.replay(
        "--world=2",
        "--gpusPerServer=1",
        "--topology=single-switch",
        "--linkDown=host0-switch0@0ns",
        "--ns3::RdmaNic::RetransmissionTimeout=10us",
        "--outputDir=" + bench.path("unfinished"),
    )
    assert code == 2, code
    lines = err.splitlines()
    assert lines[0] == "wl-replay: error: the replay could not finish", err
    assert "a queue pair from rank 0 to rank 1 has given up: there is no path any more" in lines, err
    assert any(f"{bench.table}:2: rank 1 waits in layer" in line for line in lines), err
    assert lines[-1] == "ranks that wait for each other: 0 -> 1 -> 0", err
    assert "INCOMPLETE" in out, out
    summary = bench.summary("unfinished")
    assert summary["complete"] is False and summary["iterations"] == [], summary
    assert sorted(os.listdir(bench.path("unfinished"))) == FILES
    ops = bench.rows("unfinished", "ops.csv")
    assert ops and len(ops) == len(bench.spans("unfinished")), ops
    assert bench.rows("unfinished", "flows.csv") == []
    assert bench.rows("unfinished", "collectives.csv") == []


@case
def interrupted_replay(bench):
    """Ctrl-C and SIGTERM: exit code 2, whole rows, files marked incomplete"""
    for stop in (signal.SIGINT, signal.SIGTERM):
        folder = bench.path(stop.name)
        # A million iterations would take a minute.
        arguments = ["--workload=" + bench.table, "--transport=ideal", "--world=2"]
        arguments += ["--iterations=1000000", "--outputDir=" + folder]
        with subprocess.Popen(
            [bench.program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Whoever runs this in the background may have told it to ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as process:
            deadline = time.monotonic() + 60
            begun = os.path.join(folder, ".ops.csv.new")
            while not os.path.exists(begun) or os.path.getsize(begun) == 0:
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.01)
            process.send_signal(stop)
            out, err = process.communicate(timeout=60)
        assert process.returncode == 2, process.returncode
        how = r"interrupted at \d+\.\d{3} ms, when \d+\.\d % was done"
        assert re.fullmatch(f"wl-replay: error: the replay was {how}\n", err), err
        assert re.search(f"^INCOMPLETE: {how}; below is what was done ", out, re.M), out
        expect_width(out)

        assert sorted(os.listdir(folder)) == FILES
        summary = bench.summary(stop.name)
        assert summary["complete"] is False
        assert 0 < len(summary["iterations"]) < 1000000
        for name in FILES:
            if name.endswith(".csv"):
                with open(os.path.join(folder, name)) as file:
                    text = file.read()
                assert text.endswith("\n"), name
                columns = text.split("\n", 1)[0].count(",")
                assert {line.count(",") for line in text.splitlines()} == {columns}, name
        ops = bench.rows(stop.name, "ops.csv")
        assert len(ops) == len(bench.spans(stop.name)) >= 4 * len(summary["iterations"])
        assert len(bench.rows(stop.name, "flows.csv")) == summary["network"]["messages"]


@case
def nvswitches(bench):
    """nvls runs where there is an NVSwitch, and where there is none it is told why it cannot"""
    expected = (
        "--collective: error: expected algorithms that suit where the ranks stand, found nvls for "
        "all-reduce in dp0: "
    )
    choice = "--collective=all-reduce=nvls"
    bench.expect_error(
        expected + "no two of its members share a server",
        choice,
        "--gpusPerServer=1",
        "--workload=" + bench.table,
    )
    for transport in ("ideal", "rdma", "tcp"):
        folder = bench.path("nvls-" + transport)
        code, _, err = bench.replay(choice, "--transport=" + transport, "--outputDir=" + folder)
        assert (code, err) == (0, ""), (code, err)
        rows = bench.rows("nvls-" + transport, "collectives.csv")
        assert {row["algorithm"] for row in rows} == {"nvls"}, rows
        # Of 8 members each sends and receives 1 + 1/8 of the 1 MB; 8 is the NVSwitch.
        sent = dict.fromkeys(range(9), 0)
        for row in bench.rows("nvls-" + transport, "flows.csv"):
            assert 8 in (int(row["src_rank"]), int(row["dst_rank"])), row
            sent[int(row["src_rank"])] += int(row["bytes"])
        assert sent == {**dict.fromkeys(range(8), 1125000), 8: 9000000}, sent
        # What the NVSwitch receives and sends is part of what the network carried.
        network = bench.summary("nvls-" + transport)["network"]
        assert network["bytes_delivered"] == 18000000, network
        assert network["messages"] == len(bench.rows("nvls-" + transport, "flows.csv")), network


@case
def ns3_arguments(bench):
    """ns-3's own arguments work, and their faults are told"""
    code, out, err = bench.run("--PrintAttributes=ns3::RingCollective")
    assert (code, err) == (0, "") and "--ns3::RingCollective::Channels=[" in out, (code, out, err)
    code, _, err = bench.replay(
        "--transport=ideal", "--ns3::RingCollective::Channels=2", "--RngRun=3"
    )
    assert (code, err) == (0, ""), (code, err)
    bench.expect_error(
        "--ns3::RingCollective::Chanels: error: expected an attribute that ns3::RingCollective "
        "declares (--PrintAttributes=ns3::RingCollective lists all), found 'Chanels'; "
        "did you mean Channels?",
        "--ns3::RingCollective::Chanels=2",
    )


@case
def progress_without_terminal(bench):
    """progress=on speaks on standard error only, off and auto are silent without a terminal"""
    reports = []
    for value in ("on", "off", "auto"):
        code, out, err = bench.replay("--transport=ideal", "--progress=" + value)
        assert code == 0, code
        assert ("replaying " in err) == (value == "on"), err
        assert value == "on" or err == "", err
        reports.append(out.split("\nrun cost")[0])
    assert reports[0] == reports[1] == reports[2]


@case
def progress_on_a_terminal(bench):
    """progress on a terminal is one line that is taken away at last; it changes no output"""
    workload = ["--workload=" + bench.table, "--transport=ideal", "--iterations=50000"]
    texts = []
    for value in ("auto", "off"):
        master, slave = pty.openpty()
        with subprocess.Popen(
            [
                bench.program,
                *workload,
                "--world=2",
                "--progress=" + value,
                "--outputDir=" + bench.path(value),
            ],
            stdout=subprocess.DEVNULL,
            stderr=slave,
        ) as process:
            os.close(slave)
            shown = b""
            try:
                while more := os.read(master, 4096):
                    shown += more
            except OSError:  # how Linux tells that nobody writes any more
                pass
        os.close(master)
        assert process.returncode == 0, process.returncode
        lines = shown.decode().split("\r\x1b[K")
        if value == "auto":
            assert "replaying " in lines[0] and lines[-1] == "" and len(lines) > 2, lines
            for line in lines[1:-1]:
                assert re.fullmatch(
                    r"\[\d+\.\d{3} ms\] \d+\.\d+ % done in \d+ s,( about \d+ s left,)? "
                    r"\d+\.\d\d million events/s",
                    line,
                ), line
        else:
            assert shown == b"", shown
        summary = bench.summary(value)
        texts.append([json.dumps(dict(summary, run=summary["run"]["events"]))])
        for name in FILES:
            if name != "summary.json":
                with open(os.path.join(bench.path(value), name), "rb") as stream:
                    texts[-1].append(stream.read())
    assert texts[0] == texts[1]


@case
def collective_help(bench):
    """wl-collective --help lists options and exits with 0"""
    code, out, err = bench.run("--help", program=bench.collective)
    assert (code, err) == (0, "")
    for option in ("kind", "ranks", "minBytes", "topology", "collective", "csv", "plot", "config"):
        assert f"\n  --{option}" in out, option
    assert max(map(len, out.splitlines())) <= 100


@case
def collective_csv(bench):
    """wl-collective --csv prints header and rows of the closed form, and nothing else"""
    arguments = ("--transport=ideal", "--minBytes=2000", "--maxBytes=4KiB", "--csv")
    code, out, err = bench.time(*arguments)
    assert (code, err) == (0, "")
    # two steps of half the bytes at 10 GB/s, each over two links of 1 us
    assert out == (
        f"{COLUMNS}\n2000,500,4.200000,0.476190,0.476190,ring\n"
        "4000,1000,4.400000,0.909091,0.909091,ring\n"
    ), out


@case
def collective_kinds(bench):
    """wl-collective knows all kinds of collectives, on ideal, rdma and tcp"""
    for kind in (
        "all-reduce all-gather reduce-scatter all-to-all shift broadcast reduce gather scatter "
        "barrier"
    ).split():
        times = []
        for transport in ("ideal", "rdma", "tcp"):
            arguments = ["--transport=" + transport, "--kind=" + kind, "--csv"]
            if kind != "barrier":
                arguments += ["--minBytes=1MiB", "--maxBytes=1MiB"]
            code, out, err = bench.time(*arguments)
            assert (code, err) == (0, ""), (kind, transport, code, err)
            header, row = out.splitlines()
            assert header == COLUMNS, header
            times.append(float(row.split(",")[2]))
        # packets cost headers, and acknowledgements that take 2 us back; tcp has handshakes and
        # a slow start besides
        assert 0 < times[0] < times[1] < 1.1 * times[0] + 3, (kind, times)
        assert times[0] < times[2] < 3 * times[0] + 100, (kind, times)


@case
def collective_reference(bench):
    """wl-collective compares with a table, such as its own, and draws both"""
    arguments = ("--maxBytes=64KiB", "--minBytes=4KiB")
    code, out, err = bench.time(*arguments, "--csv")
    assert (code, err) == (0, "")
    reference = "--reference=" + bench.write("reference.csv", out)
    plot = bench.path("plot.svg")
    code, table, err = bench.time(*arguments, reference, "--plot=" + plot)
    assert (code, err) == (0, "")
    rows = [line for line in table.splitlines() if not line.startswith("#")]
    assert len(rows) == 5 and all(row.endswith(" 1.000") for row in rows), table
    assert "geometric mean of max(ratio, 1 / ratio) less 1: 0.00 %" in table, table
    assert "# worst: " in table, table
    expect_width("\n".join(line for line in table.splitlines() if "#" in line))
    assert os.listdir(bench.folder).count("plot.svg") == 1
    picture = xml.dom.minidom.parse(plot)
    # two panels, each with five points of either curve
    assert len(picture.getElementsByTagName("circle")) == 20
    code, out, err = bench.time(*arguments, reference, "--csv")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == COLUMNS + ",reference_us,ratio", out
    assert all(row["ratio"] == "1.000000" for row in csv.DictReader(out.splitlines())), out


@case
def collective_dry_run(bench):
    """wl-collective --dryRun tells fabric and algorithms, and writes the fabric"""
    folder = bench.path("fabric")
    arguments = ("--dryRun", "--kind=broadcast", "--minBytes=64KiB", "--maxBytes=128KiB")
    code, out, err = bench.time(*arguments, "--outputDir=" + folder)
    assert (code, err) == (0, ""), (code, err)
    lines = [line.split() for line in out.splitlines()]
    assert "Fabric single-switch: 2 hosts, 1 switch, 0 NVSwitches, 2 links" in out, out
    assert ["65536", "bytes", "tree", "1"] in lines, out
    assert ["131072", "bytes", "chain", "1"] in lines, out
    assert sorted(os.listdir(folder)) == ["fabric.dot", "fabric.json", "fabric.svg"]


@case
def collective_errors(bench):
    """wl-collective exits with 1 and one line for wrong options, tables and pictures"""

    def expect_error(message, *arguments):
        bench.expect_error(message, *arguments, program=bench.collective)

    expect_error(
        "--rank: error: expected an option (--help lists all), found '--rank'; "
        "did you mean --ranks?",
        "--rank=8",
    )
    expect_error(
        "--servers: error: expected at most 8, a rank on each server, found 9",
        "--servers=9",
    )
    file = bench.write("wrong.csv", "time_us,size_bytes\n5,4096\nfast,8192\n")
    code, out, err = bench.run("--reference=" + file, program=bench.collective)
    assert (code, out) == (1, ""), (code, out)
    assert err.startswith(file + ":3:1: error: expected ") and err.count("\n") == 1, err
    for path, reason in (
        (bench.folder, "Is a directory"),
        (bench.path("no/such.svg"), "No such file or directory"),
    ):
        expect_error(
            f"--plot: error: expected a file to write to, found '{path}' ({reason})",
            "--plot=" + path,
        )
    file = bench.write("run.json", '{"kind": "shift", "world": 8}')
    expect_error(
        f"{file}:/world: error: expected an option (--help lists all), found 'world'",
        "--config=" + file,
    )
    expect_error(
        "--linkDown: error: expected a link of the topology (fabric.json of --dryRun lists them), "
        "found 'host0-host1'",
        *TWO_HOSTS,
        "--linkDown=host0-host1@0ns",
    )


@case
def collective_unfinished(bench):
    """collective that cannot finish: exit code 2, who waits, rows so far, no picture"""
    code, out, err = bench.time(
        "--minBytes=1000",
        "--maxBytes=1000000",
        "--factor=1000",
        "--linkDown=host1-switch0@50us",
        "--ns3::RdmaNic::RetransmissionTimeout=10us",
        "--csv",
        "--plot=" + bench.path("plot.svg"),
    )
    assert code == 2, code
    assert [line.split(",")[0] for line in out.splitlines()] == ["size_bytes", "1000"], out
    lines = err.splitlines()
    assert lines[0] == "wl-collective: error: all-reduce of 1000000 bytes could not finish", err
    assert any("there is no path any more" in line for line in lines), err
    assert any("rank 1 waits in all-reduce" in line for line in lines), err
    assert sorted(os.listdir(bench.folder)) == ["table.tsv"], os.listdir(bench.folder)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: program-test.py WL_REPLAY WL_COLLECTIVE")
    programs = [os.path.abspath(program) for program in sys.argv[1:]]
    failed = 0
    for function in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(Bench(*programs, folder))
                print(f"PASS {function.__doc__}", flush=True)
            except Exception as error:  # whatever a case trips over is its failure
                failed += 1
                print(f"FAIL {function.__doc__}: {type(error).__name__}: {error}", flush=True)
    print(f"{len(CASES) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
