#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of wl-replay as its users meet it: exit codes, messages, files.

usage: program-test.py WL_REPLAY

Prints a line for each case, and `N passed, N failed` as the last one. Exits 0 if none failed.
"""

import json
import os
import subprocess
import sys
import tempfile

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

CASES = []


def case(function):
    """Note a function as a case; its docstring is its name."""
    CASES.append(function)
    return function


class Bench:
    """A directory to work in, and the program."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.table = self.write("table.tsv", TABLE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(self.path(name), mode) as file:
            file.write(content)
        return self.path(name)

    def run(self, *arguments):
        """Run the program; returns exit code, standard output and standard error."""
        done = subprocess.run(
            [self.program, *arguments],
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

    def expect_error(self, message, *arguments):
        """The program must exit with 1, say this one line and nothing else."""
        code, out, err = self.run(*arguments)
        assert code == 1, f"exit code {code}, not 1"
        assert out == "", f"standard output {out!r}"
        assert err == message + "\n", f"standard error {err!r}, not {message!r}"

    def summary(self, folder):
        with open(os.path.join(self.path(folder), "summary.json")) as file:
            return json.load(file)


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
        "--workload: error: expected a file to replay, such as "
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
    assert max(map(len, out.splitlines())) <= 100, out


@case
def gpt2_on_tcp(bench):
    """GPT2-Large on 4 and 8 workers over tcp takes what a ring at 100 Gb/s of goodput takes"""
    table = os.path.join(os.path.dirname(__file__), "../examples/workloads/gpt2-large-ops.tsv")
    for workers, closed_form_ms in ((4, 228.52), (8, 235.35)):
        code, _, err = bench.run(
            "--workload=" + table,
            f"--world={workers}",
            "--gpusPerServer=1",
            "--topology=single-switch",
            "--nicRate=100468750000bps",  # 8960 bytes of payload in a frame of 9002
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
    """two equal runs differ only in the object run"""
    texts = []
    for name in ("first", "second"):
        code, _, err = bench.replay("--world=4", "--outputDir=" + bench.path(name))
        assert (code, err) == (0, ""), (code, err)
        summary = bench.summary(name)
        del summary["run"]
        texts.append(json.dumps(summary))
    assert texts[0] == texts[1]


@case
def unfinished_replay(bench):
    """replay that cannot finish: exit code 2, the waits, files marked incomplete"""
    code, out, err = bench.replay(
        "--world=2",
        "--gpusPerServer=1",
        "--ns3::Ipv4L3Protocol::DefaultTtl=1",
        "--outputDir=" + bench.path("unfinished"),
    )
    assert code == 2, code
    lines = err.splitlines()
    assert lines[0] == "wl-replay: error: the replay could not finish", err
    assert any(f"{bench.table}:2: rank 1 waits in layer" in line for line in lines), err
    assert lines[-1] == "ranks that wait for each other: 0 -> 1 -> 0", err
    assert "INCOMPLETE" in out, out
    summary = bench.summary("unfinished")
    assert summary["complete"] is False and summary["iterations"] == [], summary
    assert os.listdir(bench.path("unfinished")) == ["summary.json"]


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


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: program-test.py WL_REPLAY")
    failed = 0
    for function in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(Bench(os.path.abspath(sys.argv[1]), folder))
                print(f"PASS {function.__doc__}", flush=True)
            except Exception as error:  # whatever a case trips over is its failure
                failed += 1
                print(f"FAIL {function.__doc__}: {type(error).__name__}: {error}", flush=True)
    print(f"{len(CASES) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
