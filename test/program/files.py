# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: which files are written, compressed files, and what they cost."""

import gzip
import json
import os
import signal
import subprocess
import time
import unittest

from program.bench import FILES, LAYERS, case

# Whether collectives are reused depends on the files.
NETWORK = ["--gpusPerServer=2", "--transport=ideal", "--reuse=off"]


def replay(bench, folder, *arguments):
    """Replay two stages of four ranks; returns the files, by name."""
    workload = "--workload=" + bench.write("layers.txt", LAYERS)
    code, _, err = bench.run(workload, *NETWORK, *arguments, "--outputDir=" + bench.path(folder))
    assert (code, err) == (0, ""), (code, err)
    contents = {}
    for name in os.listdir(bench.path(folder)):
        with open(os.path.join(bench.path(folder), name), "rb") as file:
            contents[name] = file.read()
    return contents


def same(contents):
    """What is the same in equal runs."""
    return {name: text for name, text in contents.items() if not name.startswith("summary.json")}


@case
def chosen_files(bench):
    """files: those that are named are written, as ever; what an earlier run left is removed"""
    whole = replay(bench, "out")
    assert sorted(whole) == FILES, sorted(whole)
    bench.write("out/notes.txt", "mine")
    bench.write("out/flows.csv.gz", "of an earlier run")
    chosen = replay(bench, "out", "--files=summary.json,links.csv,trace")
    expected = ["links.csv", "notes.txt", "summary.json", "trace.json"]
    assert sorted(chosen) == expected, sorted(chosen)
    assert chosen["trace.json"] == whole["trace.json"]
    for name in FILES:
        alone = replay(bench, name, "--files=" + name)
        assert list(alone) == [name], (name, list(alone))
        assert same(alone).items() <= same(whole).items(), name
    folder = bench.path("fabric.json")
    code, _, err = bench.replay(
        f"--topology={folder}/fabric.json", "--files=links.csv", "--outputDir=" + folder
    )
    assert (code, err) == (0, ""), (code, err)
    assert sorted(os.listdir(folder)) == ["fabric.json", "links.csv"], "what it reads stays"
    left = replay(bench, "left", "--files=-flows.csv")
    assert sorted(left) == sorted(set(FILES) - {"flows.csv"}), sorted(left)


@case
def compressed_files(bench):
    """files: compressed ones hold what the others do, and are the same each time"""
    whole = replay(bench, "whole")
    packed = replay(bench, "packed", "--files=all.gz")
    assert sorted(packed) == [name + ".gz" for name in FILES], sorted(packed)
    for name, content in same(packed).items():
        assert gzip.decompress(content) == whole[name[:-3]], name
    assert gzip.decompress(packed["summary.json.gz"]).startswith(b"{\n"), "no summary"
    assert same(packed) == same(replay(bench, "again", "--files=all.gz"))
    # Of each file there is one form, that of the last run.
    mixed = replay(bench, "packed", "--files=all,ops.csv.gz,trace.json.gz")
    expected = set(FILES) - {"ops.csv", "trace.json"} | {"ops.csv.gz", "trace.json.gz"}
    assert set(mixed) == expected, sorted(mixed)


@case
def files_change_nothing(bench):
    """files: what is written does not change what is simulated"""
    events = set()
    for files in ("all", "summary.json", "summary.json,trace.json"):
        replay(bench, "out", "--files=" + files)
        summary = bench.summary("out")
        events.add(json.dumps(dict(summary, run=summary["run"]["events"])))
    assert len(events) == 1, events


@case
def killed_run(bench):
    """files: a run that is killed leaves nothing under the names, and an earlier run's files"""
    os.mkdir(bench.path("killed"))
    bench.write("killed/ops.csv", "earlier")
    arguments = ["--workload=" + bench.table, "--transport=ideal", "--world=2"]
    arguments += ["--iterations=10000000"]
    arguments += ["--outputDir=" + bench.path("killed"), "--files=ops.csv.gz,flows.csv"]
    with subprocess.Popen(
        [bench.program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        begun = bench.path("killed/.ops.csv.gz.new")
        deadline = time.monotonic() + 60
        while not os.path.exists(begun) or os.path.getsize(begun) < 100000:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    left = sorted(os.listdir(bench.path("killed")))
    assert left == [".flows.csv.new", ".ops.csv.gz.new", "ops.csv"], left


@case
def disk_full(bench):
    """files: a compressed file that cannot be written is told of once, exit code 2"""
    if not os.path.exists("/dev/full"):
        raise unittest.SkipTest("needs /dev/full")
    os.mkdir(bench.path("full"))
    for name in ("ops.csv.gz", "links.csv.gz"):
        os.symlink("/dev/full", bench.path(f"full/.{name}.new"))
    arguments = ["--files=all.gz", "--transport=ideal", "--iterations=3000"]
    code, out, err = bench.replay(*arguments, "--outputDir=" + bench.path("full"))
    assert code == 2 and "iteration time" in out, (code, out)
    reason = ".gz: error: could not be written (the disk is full or gone)"
    expected = [bench.path("full/" + name) + reason for name in ("ops.csv", "links.csv")]
    assert err.splitlines() == expected, err
    left = [name + ".gz" for name in FILES if name not in ("ops.csv", "links.csv")]
    assert sorted(os.listdir(bench.path("full"))) == left


@case
def memory_of_long_runs(bench):
    """files: memory does not grow with the run"""
    workload = "--workload=" + bench.write("layers.txt", LAYERS)
    peaks = []
    for iterations in (20, 2000):
        arguments = [workload, *NETWORK, f"--iterations={iterations}", "--traceRanks=all"]
        arguments += ["--outputDir=" + bench.path("long"), "--files=all,trace.json.gz"]
        code, _, err = bench.run(*arguments)
        assert (code, err) == (0, ""), (code, err)
        peaks.append(bench.summary("long")["run"]["peak_rss_bytes"])
    written = os.path.getsize(bench.path("long/ops.csv"))
    # Times of iterations are kept, since the report tells them.
    assert written > 10e6 and peaks[1] - peaks[0] < 1e6, (written, peaks)
