# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: standard output that is lost, full disks, programs that are ended."""

import csv
import glob
import json
import os
import resource
import shutil
import signal
import subprocess
import time
import unittest

from program.bench import COLUMNS, FILES, LAYERS, TWO_HOSTS, case

LOST = "error: standard output could not be written (closed, not read, or a full disk)\n"

# Its ops.csv is larger than a quarter of a MiB.
LONG = ["--transport=ideal", "--world=2", "--iterations=2000"]


def end(bench, output, *arguments, program=None, limit=None, kind=resource.RLIMIT_FSIZE):
    """Run a program with a standard output that is 'full', 'closed' or 'unread'; code and errors."""
    reader, writer = os.pipe()
    os.close(reader)
    if output == "full":
        os.dup2(os.open("/dev/full", os.O_WRONLY), writer)

    def prepare():
        if output == "closed":
            os.close(1)
        if limit:
            resource.setrlimit(kind, (limit, limit))

    done = subprocess.run(
        [program or bench.program, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=writer if output else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
        check=False,
        preexec_fn=prepare,
    )
    os.close(writer)
    return done.returncode, done.stderr


def expect_valid(bench, folder, names=None):
    """The files of a folder must be these, and whole."""
    names = FILES if names is None else names
    assert sorted(os.listdir(bench.path(folder))) == sorted(names), os.listdir(bench.path(folder))
    for name in names:
        with open(os.path.join(bench.path(folder), name), newline="") as file:
            if name.endswith(".json"):
                json.load(file)
            elif name.endswith(".csv"):
                rows = list(csv.reader(file, strict=True))
                assert {len(row) for row in rows} == {len(rows[0])}, name


@case
def lost_help(bench):
    """help and lists on a standard output that is full or closed: exit code 2, one line"""
    for output in ("full", "closed"):
        for arguments in (["--help"], ["--PrintTypeIds"]):
            for program in (bench.program, bench.collective):
                name = "wl-replay" if program == bench.program else "wl-collective"
                found = end(bench, output, *arguments, program=program)
                assert found == (2, f"{name}: {LOST}"), (output, arguments, found)


@case
def lost_report(bench):
    """replay whose standard output is full, closed or not read: exit code 2, the files are whole"""
    workload = ["--workload=" + bench.table, "--world=2"]
    code, _, err = bench.run(*workload, "--outputDir=" + bench.path("good"))
    assert (code, err) == (0, ""), (code, err)
    for output in ("full", "closed", "unread"):
        found = end(bench, output, *workload, "--outputDir=" + bench.path(output))
        assert found == (2, f"wl-replay: {LOST}"), (output, found)
        expect_valid(bench, output)
        for name in set(FILES) - {"summary.json"}:
            with open(bench.path(f"good/{name}"), "rb") as good:
                with open(bench.path(f"{output}/{name}"), "rb") as other:
                    assert good.read() == other.read(), (output, name)
        assert bench.summary(output)["complete"] is True


@case
def lost_table(bench):
    """wl-collective whose standard output is full or closed: exit code 2; not read: SIGPIPE"""
    arguments = [*TWO_HOSTS, "--transport=ideal", "--minBytes=4KiB", "--maxBytes=4KiB"]
    for output in ("full", "closed"):
        found = end(bench, output, *arguments, program=bench.collective)
        assert found == (2, f"wl-collective: {LOST}"), (output, found)
    # It has no files to finish, and ends as any program of a pipe does.
    found = end(bench, "unread", *arguments, program=bench.collective)
    assert found == (-signal.SIGPIPE, ""), found


@case
def wrong_input_without_output(bench):
    """closed standard output: a wrong input is told as ever, exit code 1"""
    code, err = end(bench, "closed", "--workload=" + bench.path("none"))
    assert code == 1 and err.startswith(bench.path("none") + ": error: expected "), (code, err)
    assert err.count("\n") == 1, err


@case
def size_limit(bench):
    """files beyond the limit of a process (ulimit -f): told of, exit code 2, the others are whole"""
    arguments = ["--workload=" + bench.table, *LONG, "--outputDir=" + bench.path("limit")]
    code, err = end(bench, None, *arguments, limit=256 * 1024)
    lost = [line.split(": error: could not be written (")[0] for line in err.splitlines()]
    assert code == 2 and lost, (code, err)
    lost = [os.path.basename(path) for path in lost]
    assert "ops.csv" in lost and "links.csv" not in lost, lost
    expect_valid(bench, "limit", sorted(set(FILES) - set(lost)))


@case
def small_disk(bench):
    """disk that runs full in mid-replay: as a limit; an earlier run's whole file is not replaced"""
    arguments = ["--workload=" + bench.table, *LONG, "--outputDir=" + bench.path("disk")]
    arguments += ["--files=ops.csv,links.csv,summary.json"]
    script = 'mount -t tmpfs -o size=256k none "$0" && echo earlier >"$0/ops.csv" || exit 77\n'
    script += '"$@"; code=$?; cat "$0/ops.csv"; ls -A "$0"; exit $code'
    os.mkdir(bench.path("disk"))
    mounts = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, bench.path("disk")]
    if not shutil.which("unshare"):
        raise unittest.SkipTest("needs unshare, of util-linux")
    code, out, err = bench.run(*mounts[1:], bench.program, *arguments, program=mounts[0])
    if code == 77 or "unshare failed" in err:
        raise unittest.SkipTest(f"needs a user namespace to mount in: {err.strip()}")
    assert code == 2, (code, err)
    for name in ("links.csv", "ops.csv", "summary.json"):
        path = bench.path("disk/" + name)
        assert f"{path}: error: could not be written (the disk is full or gone)\n" in err, err
    assert out.endswith("\nearlier\nops.csv\n"), out


def start(bench, folder, *arguments):
    """Start a replay of a minute; returns its process once it has written something."""
    arguments = ["--workload=" + bench.table, "--transport=ideal", "--world=2", *arguments]
    arguments += ["--iterations=1000000", "--outputDir=" + bench.path(folder)]
    process = subprocess.Popen(
        [bench.program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 60
    begun = bench.path(folder + "/.ops.csv.new")
    while not os.path.exists(begun) or os.path.getsize(begun) == 0:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    return process


@case
def directory_removed(bench):
    """output directory that is removed in mid-replay: told of for each file, exit code 2"""
    with start(bench, "gone") as process:
        shutil.rmtree(bench.path("gone"))
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 2 and "INCOMPLETE" in out, (process.returncode, out)
    for name in FILES:
        assert f"{bench.path('gone/' + name)}: error: could not be written (" in err, (name, err)
    assert not os.path.exists(bench.path("gone"))


@case
def interrupted_and_lost(bench):
    """Ctrl-C when nobody reads standard output any more: exit code 2, the files are whole"""
    process = start(bench, "lost")
    process.stdout.close()
    process.send_signal(signal.SIGINT)
    err = process.stderr.read()
    assert process.wait(timeout=60) == 2 and err.endswith(f"wl-replay: {LOST}"), err
    process.stderr.close()
    expect_valid(bench, "lost")


@case
def killed_collective(bench):
    """wl-collective that is ended: the rows that were timed are whole, the signal is told"""
    for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        arguments = [*TWO_HOSTS, "--csv", "--minBytes=4KiB", "--maxBytes=1GiB", "--exact=on"]
        with subprocess.Popen(
            [bench.collective, *arguments],
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as process:
            lines = [process.stdout.readline() for _ in range(3)]
            process.send_signal(stop)
            lines += process.stdout.readlines()
        assert process.returncode == -stop, process.returncode
        assert lines[0] == COLUMNS + "\n" and all(line.endswith("\n") for line in lines), lines


@case
def out_of_memory(bench):
    """memory that is used up, wherever it happens: exit code 2 (no thread: 1), one line, no files"""
    workload = "--workload=" + bench.write("layers.txt", LAYERS)
    folder = "--outputDir=" + bench.path("out")
    codes = set()
    ideal = [workload, "--transport=ideal", "--microbatches=20000", folder]
    for limit in (*range(48, 96, 4), 256):
        code, err = end_in_memory(bench, limit, *ideal)
        codes.add(code)
        assert (code, err) == (0, "") or ": error: " in err and err.count("\n") == 1, (limit, err)
        assert code != 2 or "wl-replay: error: there is not enough memory: fewer ranks" in err, err
        assert code == 0 or not glob.glob(bench.path("out") + "/*"), (limit, code, err)
    assert code == 0 and 2 in codes, codes
    ranks = ["--ranks=100000", "--kind=all-reduce"]
    code, err = end_in_memory(bench, 150, *ranks, program=bench.collective)
    expected = "wl-collective: error: there is not enough memory: fewer ranks need less\n"
    assert (code, err) == (2, expected), (code, err)


def end_in_memory(bench, mebibytes, *arguments, program=None):
    """Code and errors of a program that may have so much memory."""
    limit = mebibytes << 20
    return end(bench, None, *arguments, program=program, limit=limit, kind=resource.RLIMIT_AS)
